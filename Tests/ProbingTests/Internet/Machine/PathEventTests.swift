import Posix
import Testing

@testable import Probing

/// The path changes, the host sleeps, the rules change.
struct PathEventTests {
    @Test func `No path is published at once, and nothing is checked over it`() {
        var run = MachineRun.online()
        let rounds = run.rounds.count
        run.send(.pathChanged(.unsatisfied(2)))
        #expect(run.last.map { $0.at } == 20)
        #expect(run.verdict?.state == .noPath)
        #expect(run.verdict?.cause == nil)
        #expect(run.verdict?.families == [:])
        #expect(run.verdict?.generation == 2)
        #expect(run.deadline == nil)
        run.advance(to: 500)
        #expect(run.rounds.count == rounds)
    }

    @Test func `a path that is lost ends the round`() {
        var run = MachineRun()
        run.world = .cut
        run.send(.pathChanged(.make()))
        run.advance(to: 1)
        run.send(.pathChanged(.unsatisfied(2)))
        #expect(!run.isRunning)
        run.advance(to: 60)
        #expect(run.states == [.noPath])
    }

    @Test func `The reports of an older round are void`() {
        var run = MachineRun.online()
        let old = run.rounds.last?.plan.id ?? 0
        run.send(.pathChanged(.make(2)))
        let (evidence, _) = World.cut.evidence(FamilyPlan(depth: .fresh))
        run.send(.reported(.family(.ipv4, evidence), round: old))
        #expect(run.verdict?.generation == 1)
        run.advance(by: 1)
        #expect(run.verdict?.generation == 2)
        #expect(run.state == .online)
    }

    @Test func `After a change the last verdict remains until the round is over`() {
        var run = MachineRun.online()
        run.world = .cut
        run.send(.pathChanged(.make(2)))
        run.advance(by: 3.9)
        #expect(run.states == [.online])
        run.advance(by: 0.2)
        #expect(run.states == [.online, .noInternet])
        #expect(run.verdict.map { Moment.seconds($0.evidenceAt) } == 20)
    }

    @Test func `Another cost of the same route does not end the hysteresis`() {
        var run = MachineRun.online()
        run.world = .refusing
        run.send(.pathChanged(.make(2, isExpensive: true, device: 1)))
        run.advance(by: 0.5)
        #expect(run.state == .online, "one failure")
        #expect(run.verdict?.generation == 2)
        run.world = .good
        run.advance(by: 10)
        #expect(run.states.allSatisfy { $0 == .online })
    }

    @Test func `A path without any reachable host is local only, with the cause upstream`() {
        var run = MachineRun()
        run.world = .unreachable
        run.send(.pathChanged(.make()))
        run.advance(by: 1)
        #expect(run.state == .noInternet)
        #expect(run.verdict?.cause == .upstream)
    }

    @Test func `Without a path the last verdict remains until a round over the new path is over`() {
        var run = MachineRun.online()
        run.send(.pathChanged(.unsatisfied(2)))
        run.send(.pathChanged(.make(3)))
        #expect(run.states == [.online, .noPath])
        run.advance(by: 1)
        #expect(run.states == [.online, .noPath, .online])
    }

    @Test func `before the first round there is no verdict`() {
        var run = MachineRun()
        run.world = .cut
        run.send(.pathChanged(.make()))
        run.send(.pathChanged(.make(2)))
        #expect(run.verdict == nil)
    }

    @Test func `The same state on another path is published with the generation of that path`() {
        var run = MachineRun.online()
        run.send(.pathChanged(.make(2)))
        run.advance(by: 1)
        #expect(run.published.map(\.verdict.generation) == [1, 2])
    }

    @Test func `A changed path is checked at once and again 5 s later`() {
        var run = MachineRun()
        run.advance(to: 7)
        run.send(.pathChanged(.make()))
        run.advance(to: 30)
        #expect(run.rounds.map(\.at) == [7, 12])
        #expect(run.rounds.first?.plan.families == [.ipv4: FamilyPlan(depth: .fresh, asksHTTPS: true)])
    }

    @Test func `no proof replaces the second round`() {
        var run = MachineRun()
        run.passive = { .make($0, received: [.ipv4]) }
        run.send(.pathChanged(.make()))
        run.advance(to: 20)
        #expect(run.rounds.map(\.at) == [0, 5])
    }

    @Test func `After a suspend a round starts at once and is adopted`() {
        var run = MachineRun.online()
        run.world = .refusing
        run.send(.resumed)
        run.advance(by: 0.1)
        #expect(run.state == .noInternet)
    }

    @Test func `A suspend without a path changes nothing`() {
        var run = MachineRun()
        run.send(.resumed)
        run.send(.pathChanged(.unsatisfied(1)))
        run.send(.resumed)
        #expect(run.rounds.isEmpty)
        #expect(run.states == [.noPath])
    }

    @Test func `Announcements of portals start one round in 10 s at most, and end none`() {
        func path(_ generation: UInt64, _ portal: String?) -> InternetPath {
            var path = InternetPath.make(generation, device: 1)
            path.portal = portal
            return path
        }
        var run = MachineRun.online()
        let before = run.rounds.count
        run.send(.pathChanged(path(2, "https://portal.test/1")))
        #expect(run.rounds.count == before + 1)
        let round = run.rounds.last?.plan
        #expect(round?.portalURI == "https://portal.test/1")
        // Announced again while that round runs, and ten times a second after it.
        for number in 2..<90 {
            run.send(.pathChanged(path(UInt64(number) + 1, "https://portal.test/\(number)")))
            if number == 2 { #expect(run.isRunning && run.rounds.last?.plan == round) }
            run.advance(by: 0.1)
        }
        #expect(run.rounds.dropFirst(before).filter { $0.plan.portalURI != nil }.count == 1)
        run.advance(to: 31)
        // The last one is asked.
        #expect(run.rounds.last?.plan.portalURI == "https://portal.test/89")
        #expect(run.rounds.last.map { $0.at >= 30 } == true)
        #expect(run.verdict?.state == .online)
        // Another route starts a round at once.
        let rounds = run.rounds.count
        run.send(.pathChanged(.make(99)))
        #expect(run.rounds.count == rounds + 1)
    }

    @Test func `A new configuration starts a round at once, with the old hysteresis`() {
        var run = MachineRun.online()
        var configuration = InternetConfiguration()
        configuration.interval = .seconds(10)
        run.send(.configured(configuration))
        run.world = .refusing
        run.advance(by: 0.1)
        #expect(run.state == .online)
        run.world = .good
        run.advance(by: 4)
        let last = run.rounds.last?.at ?? 0
        run.advance(to: last + 10.1)
        #expect(run.rounds.last?.at ?? 0 > last + 9.9)
        let rounds = run.rounds.count
        run.send(.configured(configuration))
        #expect(run.rounds.count == rounds)
    }
}
