import Posix
import Testing

@testable import Probing

/// Rounds from which nothing follows, since a limit of this machine ended their checks.
struct HinderedRoundTests {
    @Test func `the first verdict says that checks are hindered, and is no outage`() {
        var run = MachineRun()
        run.world = .withoutThreads
        run.send(.pathChanged(.make()))
        run.advance(to: 90)
        #expect(run.states == [.unknown])
        #expect(run.verdict?.isHindered == true && run.verdict?.cause == nil)
        run.world = .good
        run.advance(to: 180)
        #expect(run.states == [.unknown, .online])
        #expect(run.verdict?.isHindered == false)
    }

    @Test func `an online internet stays online for two such rounds, and is unknown after the third`() {
        var run = MachineRun.online()
        run.world = .withoutThreads
        run.advance(to: 75)
        #expect(run.states == [.online, .online])
        #expect(run.verdict?.isHindered == true && run.verdict?.isSuspect == false)
        run.advance(to: 300)
        #expect(run.states == [.online, .online, .unknown])
        #expect(run.verdict?.isHindered == true && run.verdict?.cause == nil)
        run.world = .good
        run.advance(to: 400)
        #expect(run.states == [.online, .online, .unknown, .online])
        #expect(run.verdict?.isHindered == false)
    }

    @Test func `an outage is unknown after the third such round, and never kept`() {
        var run = MachineRun()
        run.world = .cut
        run.send(.pathChanged(.make()))
        run.advance(to: 30)
        #expect(run.state == .noInternet)
        run.world = .withoutThreads
        run.advance(to: 300)
        #expect(run.state == .unknown && run.verdict?.isHindered == true)
    }

    @Test func `A round that concludes something starts the count anew`() {
        var run = MachineRun.online()
        for _ in 0..<5 {
            run.world = .withoutThreads
            run.advance(by: 60)
            run.world = .good
            run.advance(by: 35)
        }
        #expect(Set(run.states) == [.online])
    }

    @Test func `one family that can be checked is enough`() {
        var run = MachineRun()
        run.worlds = [.ipv4: .good, .ipv6: .withoutThreads]
        run.send(.pathChanged(.make(families: [.ipv4, .ipv6])))
        run.advance(to: 60)
        #expect(run.states == [.online])
        #expect(run.verdict?.isHindered == false)
    }

    @Test func `a path without a conclusion says so, whatever was concluded about the path before`() {
        var run = MachineRun.online()
        run.world = .withoutThreads
        run.send(.pathChanged(.unsatisfied(2)))
        run.send(.pathChanged(.make(3)))
        run.advance(to: 60)
        #expect(run.state == .unknown && run.verdict?.isHindered == true && run.verdict?.generation == 3)
    }
}
