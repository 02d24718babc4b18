import Testing

@testable import OfflineQueue

/// What the queue decides when the network comes and goes.
@Suite struct QueueMachineNetworkTests {
    @Test func `sends nothing before the network is known, nor while it is away`() {
        var machine = QueueMachine()
        machine.add(.make(1))
        #expect(machine.sends() == [])
        machine.setOnline(false)
        #expect(machine.sends() == [])
        machine.setOnline(true)
        #expect(machine.sends() == [1])
    }

    @Test func `the end of an outage ends the waits that it caused, and no other`() {
        var machine = QueueMachine.make(.make(1, lane: "a"), .make(2, lane: "b"))
        _ = machine.sends()
        _ = machine.finish(1, .failed)
        _ = machine.finish(2, .status(503, retryAfter: .seconds(60)))
        machine.setOnline(false)
        machine.setOnline(true)
        #expect(machine.sends() == [1])
    }

    @Test func `a network that is said to be there once more ends no wait`() {
        var machine = QueueMachine.make(.make(1))
        let first = machine.sends()
        machine.finish(1, .failed, now: .zero, jitter: 1)
        machine.setOnline(true)
        let (early, due) = (machine.sends(), machine.sends(0.5))
        #expect(first == [1] && early == [] && due == [1])
    }

    @Test func `a try that was on the way when the network returned is soon repeated if it fails`() {
        var machine = QueueMachine.make(.make(1))
        for _ in 0..<8 {
            #expect(machine.sends(10_000) == [1])
            machine.finish(1, .failed, now: .zero, jitter: 1)
        }
        #expect(machine.sends(10_000) == [1])
        machine.setOnline(false)
        machine.setOnline(true)
        let verdict = machine.finish(1, .failed, now: .seconds(10_000), jitter: 1)
        #expect(verdict.retry?.due == .milliseconds(10_000_500))
    }
}
