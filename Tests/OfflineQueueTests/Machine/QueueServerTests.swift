import Testing

@testable import OfflineQueue

@Suite struct QueueServerTests {
    @Test func `many keys to a server that does not answer take one place of the four, until it answers`() {
        var machine = QueueMachine.make()
        for sequence in Int64(1)...6 { machine.add(.make(sequence, lane: "\(sequence)", server: "silent:443")) }
        #expect(machine.sends() == [1, 2, 3, 4])
        machine.add(.make(7, lane: "webhook", server: "other:443"))
        #expect(machine.sends() == [])
        machine.finish(1, .failed, now: .seconds(10), jitter: 1)
        #expect(machine.sends(10) == [7])
        for sequence in Int64(2)...4 { machine.finish(sequence, .failed, now: .seconds(10), jitter: 1) }
        #expect(machine.sends(10) == [5])
        #expect(machine.sends(100) == [])
        machine.finish(5, .status(503), now: .seconds(100), jitter: 1)
        #expect(machine.sends(100) == [6, 1, 2])
        for sequence in [1, 2] as [Int64] { machine.finish(sequence, .failed, now: .seconds(110), jitter: 1) }
        #expect(machine.sends(1000) == [])
        machine.setOnline(false)
        machine.setOnline(true)
        #expect(machine.sends(1000).count == 2, "beside 6 and 7")
    }
}
