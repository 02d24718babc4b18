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

    @Test func `an online internet stays online, and the verdict says that checks are hindered`() {
        var run = MachineRun.online()
        run.world = .withoutThreads
        run.advance(to: 300)
        #expect(run.states == [.online, .online])
        #expect(run.verdict?.isHindered == true && run.verdict?.isSuspect == false)
        run.world = .good
        run.advance(to: 400)
        #expect(run.states == [.online, .online, .online])
        #expect(run.verdict?.isHindered == false)
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
