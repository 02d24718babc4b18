import Posix
import Testing

@testable import Probing

/// What others' traffic proves, and what it does not.
struct ProofTests {
    @Test func `While other programs receive segments, the internet is checked every 5 min`() {
        var run = MachineRun.online()
        run.passive = { .make($0, received: [.ipv4]) }
        run.advance(to: 1300)
        let times = run.rounds.map(\.at).filter { $0 > 5 }
        #expect(times.count == 4)
        #expect(zip(times, times.dropFirst()).allSatisfy { 300...330 ~= $1 - $0 })
        #expect(run.passiveRequests.count > 40)
        #expect(run.states == [.online])
    }

    @Test func `Only families without proof are checked`() {
        var run = MachineRun.online(families: [.ipv4, .ipv6])
        run.passive = { .make($0, received: [.ipv6]) }
        run.advance(to: 100)
        #expect(run.rounds.filter { $0.at > 6 }.allSatisfy { Set($0.plan.families.keys) == [.ipv4] })
        #expect(run.rounds.filter { $0.at > 6 }.count == 3)
    }

    @Test func `An unrequested report is proof, too`() {
        var run = MachineRun.online()
        run.advance(to: 30)
        run.send(.observed(.make(30, received: [.ipv4])))
        run.advance(to: 40)
        #expect(run.rounds.count == 2)
        run.advance(to: 70)
        #expect(run.rounds.count == 3)
    }

    @Test func `segments received while suspect end the suspicion`() {
        var run = MachineRun.online()
        run.passive = { .make($0) }
        run.world = .cut
        run.advance(to: 38.5)
        #expect(run.verdict?.isSuspect == true)
        run.send(.observed(.make(38.5, received: [.ipv4])))
        #expect(run.verdict?.isSuspect == false)
        #expect(run.state == .online)
    }

    @Test func `Segments received before the first failed round do not end a suspicion`() {
        var run = MachineRun.online()
        // Nobody knows since when this report counts.
        run.world = .cut
        run.advance(to: 38.5)
        run.send(.observed(.make(38.5, received: [.ipv4])))
        #expect(run.verdict?.isSuspect == true)
    }

    @Test func `A round that fails while other programs receive segments does not count`() {
        var run = MachineRun.online()
        run.passive = { .make($0) }
        run.world = .cut
        run.advance(to: 36)
        #expect(run.isRunning)
        run.send(.observed(.make(36, received: [.ipv4])))
        run.advance(to: 39)
        #expect(!run.isRunning)
        #expect(run.verdict?.isSuspect == false)
    }

    @Test(arguments: [(World.portal, InternetState.captivePortal), (.deadResolver, .dnsBroken)])
    func `segments contradict neither a portal nor a dead resolver`(world: World, state: InternetState) {
        var run = MachineRun.online()
        run.passive = { _ in nil }
        run.send(.observed(.make(20)))
        run.world = world
        for _ in 0..<40 {
            run.advance(by: 1)
            run.send(.observed(.make(run.now, received: [.ipv4])))
            if run.verdict?.isSuspect == true { break }
            // The next round is due although another program receives: the proof is forgotten.
            if run.now > 30 { run.send(.configured(every(.seconds(29)))) }
        }
        #expect(run.verdict?.isSuspect == true)
        for _ in 0..<10 {
            run.advance(by: 1)
            run.send(.observed(.make(run.now, received: [.ipv4])))
        }
        #expect(run.state == state)
    }

    @Test(arguments: [World.cut, .portal, .deadResolver])
    func `segments never end an outage`(world: World) {
        var run = MachineRun()
        run.world = world
        run.passive = { .make($0, received: [.ipv4]) }
        run.send(.pathChanged(.make()))
        for _ in 0..<200 {
            run.advance(by: 1)
            run.send(.observed(.make(run.now, received: [.ipv4])))
        }
        #expect(!run.states.contains(.online))
    }

    @Test func `A stall makes the verdict suspect at once and is confirmed by two rounds`() {
        var run = MachineRun.online()
        run.world = .cut
        run.send(.observed(.make(20, stalled: [.ipv4])))
        #expect(run.verdict?.isSuspect == true)
        #expect(run.isRunning)
        run.advance(to: 28)
        #expect(run.state == .noInternet)
        #expect(run.verdict.map { Moment.seconds($0.evidenceAt) } == 20)
    }

    @Test func `a stall that the next round does not confirm is forgotten`() {
        var run = MachineRun.online()
        run.send(.observed(.make(20, stalled: [.ipv4])))
        run.advance(to: 21)
        #expect(run.verdict?.isSuspect == false)
        #expect(Set(run.states) == [.online])
    }

    @Test func `A family that receives does not stall`() {
        var run = MachineRun.online()
        run.send(.observed(.make(20, received: [.ipv4], stalled: [.ipv4])))
        #expect(run.verdict?.isSuspect == false)
    }

    @Test func `A stall starts a round on a constrained path`() {
        var run = MachineRun()
        run.send(.pathChanged(.make(isConstrained: true)))
        run.advance(to: 1000)
        run.world = .cut
        run.send(.observed(.make(1000, stalled: [.ipv4])))
        run.advance(to: 1010)
        #expect(run.state == .noInternet)
    }

    @Test func `The verdict is suspect if all online families are`() {
        var run = MachineRun.online(families: [.ipv4, .ipv6])
        run.worlds = [.ipv4: .cut, .ipv6: .cut]
        run.send(.observed(.make(20, stalled: [.ipv4])))
        #expect(run.verdict?.isSuspect == false)
        run.send(.observed(.make(20.1, stalled: [.ipv6])))
        #expect(run.verdict?.isSuspect == true)
    }

    private func every(_ interval: Duration) -> InternetConfiguration {
        var configuration = InternetConfiguration()
        configuration.interval = interval
        return configuration
    }
}
