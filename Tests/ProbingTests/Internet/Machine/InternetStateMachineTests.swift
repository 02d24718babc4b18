import Posix
import Testing

@testable import Probing

/// Which verdicts are published, and when.
struct InternetStateMachineTests {
    @Test func `The first verdict is published as soon as the round is over`() {
        var run = MachineRun()
        run.send(.pathChanged(.make()))
        #expect(run.rounds.count == 1 && run.published.isEmpty)
        run.advance(to: 1)
        #expect(run.states == [.online])
        #expect(run.last?.at == 0.05)
        #expect(run.verdict?.families == [.ipv4: .online])
        #expect(run.verdict?.generation == 1)
    }

    @Test(
        arguments: [
            (World.cut, InternetState.noInternet, InternetCause.upstream), (.routerGone, .noInternet, .gateway),
            (.deadResolver, .dnsBroken, .dns), (.portal, .captivePortal, .captivePortal),
        ]
    )
    func `the first verdict needs no second round`(world: World, state: InternetState, cause: InternetCause) {
        var run = MachineRun()
        run.world = world
        run.send(.pathChanged(.make()))
        run.advance(to: 4.9)
        #expect(run.rounds.count == 1)
        #expect(run.verdict?.state == state)
        #expect(run.verdict?.cause == cause)
        #expect(run.verdict.map { Moment.seconds($0.evidenceAt) } == 0)
    }

    @Test func `A cut is published within 12 s of the first round after it, with the start of that round as evidence`()
    {
        for cutAt in stride(from: 20.0, to: 50, by: 0.7) {
            var run = MachineRun.online()
            run.advance(to: cutAt)
            run.world = .cut
            let roundAt = run.deadline ?? .infinity
            run.advance(to: cutAt + 60)
            let published = run.published.first { $0.verdict.state == .noInternet }
            #expect((published?.at ?? .infinity) - roundAt <= 12)
            #expect((published?.at ?? .infinity) - cutAt <= 42)
            #expect(published.map { Moment.seconds($0.verdict.evidenceAt) } == roundAt)
            #expect(published?.verdict.cause == .upstream)
        }
    }

    @Test func `A dead resolver is published within 12 s, too`() {
        var run = MachineRun.online()
        run.world = .deadResolver
        let roundAt = run.deadline ?? .infinity
        run.advance(to: 90)
        let published = run.published.first { $0.verdict.state == .dnsBroken }
        #expect((published?.at ?? .infinity) - roundAt <= 12)
    }

    @Test func `Immediate errors are published in 4 s`() {
        var run = MachineRun.online()
        run.world = .refusing
        let roundAt = run.deadline ?? .infinity
        run.advance(to: 90)
        let published = run.published.first { $0.verdict.state == .noInternet }
        #expect((published?.at ?? .infinity) - roundAt <= 4)
    }

    @Test func `A failed round makes the verdict suspect and keeps it online`() {
        var run = MachineRun.online()
        run.world = .refusing
        run.advance(to: 35.1)
        #expect(run.verdict?.isSuspect == true)
        #expect(run.verdict?.state == .online)
        #expect(run.verdict?.cause == nil)
        run.world = .good
        run.advance(to: 40)
        #expect(run.verdict?.isSuspect == false)
        #expect(run.states == [.online, .online, .online])
    }

    @Test func `one or two failed rounds in a row do not end online`() {
        var run = MachineRun.online()
        for _ in 0..<50 {
            run.world = .refusing
            run.advance(to: run.deadline ?? run.now)
            run.advance(by: 0.5)
            run.advance(to: run.deadline ?? run.now)
            run.advance(by: 0.5)
            #expect(run.verdict?.isSuspect == true)
            run.world = .good
            run.advance(by: 30)
        }
        #expect(Set(run.states) == [.online])
    }

    @Test func `the second failed round is not repeated by the routine but by confirming ones`() throws {
        var run = MachineRun.online()
        run.world = .refusing
        let before = run.rounds.count
        run.advance(to: 39)
        let depths = run.rounds.dropFirst(before).map { $0.plan.families[.ipv4]?.depth }
        #expect(depths.prefix(3) == [.routine, .confirming, .confirming])
        let times = run.rounds.dropFirst(before).map(\.at)
        try #require(times.count >= 3)
        #expect(abs(times[1] - times[0] - 1) < 0.05)
        #expect(abs(times[2] - times[1] - 1.5) < 0.05)
    }

    @Test func `a portal takes two rounds that agree`() {
        var run = MachineRun.online()
        run.world = .portal
        let roundAt = run.deadline ?? .infinity
        run.advance(to: roundAt + 3.1)
        #expect(run.verdict?.isSuspect == true)
        run.advance(to: roundAt + 7.1)
        #expect(run.verdict?.state == .captivePortal)
        #expect(run.verdict?.isSuspect == false)
        #expect(run.verdict.map { Moment.seconds($0.evidenceAt) } == roundAt)
    }

    @Test func `two portal rounds less than a second apart do not agree`() {
        var tracker = FamilyTracker()
        tracker.found(.online, start: Moment.at(0))
        tracker.found(.captivePortal, start: Moment.at(10))
        tracker.found(.captivePortal, start: Moment.at(10.9))
        #expect(tracker.isOnline)
        tracker.found(.captivePortal, start: Moment.at(11))
        #expect(tracker.finding == .captivePortal)
        #expect(tracker.evidenceAt == Moment.at(10))
    }

    @Test func `a round without the portal between two with it starts over`() {
        var tracker = FamilyTracker()
        tracker.found(.online, start: Moment.at(0))
        tracker.found(.captivePortal, start: Moment.at(10))
        tracker.found(InternetFinding(state: .noInternet, cause: .upstream), start: Moment.at(12))
        tracker.found(.captivePortal, start: Moment.at(14))
        #expect(tracker.isOnline)
        #expect(tracker.recheck(at: Moment.at(15)) == Moment.at(16))
        tracker.found(.captivePortal, start: Moment.at(16))
        #expect(tracker.finding == .captivePortal)
    }

    @Test func `The answer of the portal API is adopted at once, whatever the checks found`() {
        var run = MachineRun.online()
        run.isHeldCaptive = true
        run.send(.pathChanged(.make(portal: "https://portal.example/api")))
        #expect(run.rounds.last?.plan.portalURI == "https://portal.example/api")
        run.advance(by: 0.2)
        #expect(run.state == .captivePortal)
        #expect(!run.states.dropLast().contains(.captivePortal))
    }

    @Test func `Nothing is adopted before the portal API has answered`() {
        var run = MachineRun()
        run.isHeldCaptive = true
        run.send(.pathChanged(.make(portal: "https://portal.example/api")))
        run.advance(to: 1)
        #expect(run.states == [.captivePortal])
    }

    @Test(arguments: [false, nil])
    func `A portal API that reports this host as free, or does not answer, proves nothing`(word: Bool?) {
        var run = MachineRun()
        run.isHeldCaptive = word
        run.world = .portal
        run.send(.pathChanged(.make(portal: "https://portal.example/api")))
        run.advance(to: 4)
        #expect(run.states == [.captivePortal])
    }

    @Test func `after a short outage one good round is enough`() {
        var run = MachineRun()
        run.world = .refusing
        run.send(.pathChanged(.make()))
        run.advance(to: 6)
        run.world = .good
        let roundAt = run.deadline ?? .infinity
        run.advance(to: 60)
        #expect(run.published.first { $0.verdict.state == .online }.map(\.at) == roundAt + 0.05)
    }

    @Test(arguments: [World.refusing, .portal])
    func `after a long outage it takes two, half a second apart`(world: World) {
        var run = MachineRun()
        run.world = world
        run.send(.pathChanged(.make()))
        run.advance(to: 100)
        run.world = .good
        if run.isRunning { run.advance(by: 3.1) }
        let roundAt = run.deadline ?? .infinity
        run.advance(to: 300)
        let published = run.published.first { $0.verdict.state == .online }
        #expect(abs((published?.at ?? 0) - roundAt - 0.55) < 0.01)
    }

    @Test(arguments: [(29.9, true), (30, false)])
    func `an outage is short below half a minute`(length: Double, isShort: Bool) {
        var tracker = FamilyTracker()
        tracker.found(InternetFinding(state: .noInternet, cause: .upstream), start: Moment.at(0))
        tracker.found(.online, start: Moment.at(length), end: Moment.at(length + 0.1))
        #expect(tracker.isOnline == isShort)
    }

    @Test func `a failure between the two good rounds starts over`() {
        var run = MachineRun()
        run.world = .refusing
        run.send(.pathChanged(.make()))
        run.advance(to: 100)
        run.world = .good
        run.advance(to: (run.deadline ?? 0) + 0.3)
        run.world = .refusing
        run.advance(by: 70)
        #expect(run.state == .noInternet)
        #expect(Set(run.states) == [.noInternet])
    }

    @Test func `A changed cause is published without a change of state`() {
        var run = MachineRun()
        run.world = .routerGone
        run.send(.pathChanged(.make()))
        run.advance(to: 30)
        run.world = .cut
        run.advance(to: 120)
        #expect(run.published.map(\.verdict.cause) == [.gateway, .upstream])
        #expect(run.published.map { Moment.seconds($0.verdict.evidenceAt) } == [0, 0])
    }

    @Test func `Online is published while the other family still fails`() {
        var run = MachineRun()
        run.worlds = [.ipv4: .good, .ipv6: .cut]
        run.send(.pathChanged(.make(families: [.ipv4, .ipv6])))
        run.advance(to: 0.1)
        #expect(run.state == .online)
        #expect(run.verdict?.families == [.ipv4: .online, .ipv6: .unknown])
        run.advance(to: 4.1)
        #expect(run.verdict?.families == [.ipv4: .online, .ipv6: .noInternet])
        #expect(run.states == [.online, .online])
    }

    @Test func `Offline is published when all families are known`() {
        var run = MachineRun()
        run.worlds = [.ipv4: .refusing, .ipv6: .cut]
        run.send(.pathChanged(.make(families: [.ipv4, .ipv6])))
        run.advance(to: 3.9)
        #expect(run.published.isEmpty)
        run.advance(to: 4.1)
        #expect(run.states == [.noInternet])
    }

    @Test func `A broken family does not make the verdict suspect, nor rounds more frequent`() {
        var run = MachineRun()
        run.worlds = [.ipv6: .refusing]
        run.send(.pathChanged(.make(families: [.ipv4, .ipv6])))
        run.advance(to: 3600)
        #expect(!run.published.contains { $0.verdict.isSuspect })
        #expect(run.rounds.count <= 123)
    }

    @Test func `of two families the later failure dates the outage`() {
        var run = MachineRun()
        run.worlds = [.ipv6: .refusing]
        run.send(.pathChanged(.make(families: [.ipv4, .ipv6])))
        run.advance(to: 100)
        run.world = .refusing
        let roundAt = run.deadline ?? .infinity
        run.advance(to: 160)
        #expect(run.state == .noInternet)
        #expect(run.verdict.map { Moment.seconds($0.evidenceAt) } == roundAt)
    }

    @Test(arguments: AddressFamily.allCases)
    func `a machine of one family is judged by it alone`(family: AddressFamily) {
        var run = MachineRun()
        run.worlds = [family == .ipv4 ? .ipv6 : .ipv4: .cut]
        run.send(.pathChanged(.make(families: [family])))
        run.advance(to: 100)
        #expect(run.states == [.online])
        #expect(run.verdict?.families == [family: .online])
    }
}
