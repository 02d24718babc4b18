import Foundation
import Lab
import Testing

@testable import OfflineQueue

/// What the queue does not take, and what is taken back.
@Suite struct QueueMachineLimitTests {
    @Test func `refuses more than its limits, space that is being stored included`() throws {
        var machine = QueueMachine(limits: QueueLimits(maxRequests: 2, maxBytes: 100))
        #expect(throws: OfflineError.tooLarge(101)) { try machine.reserve(101) }
        try machine.reserve(60)
        #expect(throws: OfflineError.full) { try machine.reserve(41) }
        try machine.reserve(40)
        #expect(throws: OfflineError.full) { try machine.reserve(0) }
        machine.release(reserved: 60)
        machine.add(.make(1, size: 60))
        #expect(throws: OfflineError.full) { try machine.reserve(0) }
        machine.release(reserved: 40)
        try machine.reserve(40)
        for error: OfflineError in [.full, .tooLarge(101), .full, .invalidRequest(""), .forbidden("")] {
            machine.reject(error)
        }
        #expect(machine.statistics(now: .zero).rejected == [.tooLarge: 1, .full: 2, .host: 1])
    }

    @Test func `a withdrawn request makes room at once, and its key waits for the end of its try`() {
        var machine = QueueMachine.make(.make(1), .make(2))
        _ = machine.sends()
        #expect(machine.withdraw(QueueEntry.id(1)) == 1)
        #expect(machine.withdraw(QueueEntry.id(1)) == nil)
        #expect(machine.statistics(now: .zero).pending == 1)
        #expect(machine.sends() == [])
        #expect(machine.finish(1, .status(200)) == .withdrawn)
        #expect(machine.sends() == [2])
        #expect(machine.withdraw(QueueEntry.id(9)) == nil)
        #expect(machine.statistics(now: .zero).discarded == [.cancelled: 1])
    }

    @Test func `reset withdraws all`() {
        var machine = QueueMachine.make(.make(1), .make(2), .make(3, lane: "b"))
        _ = machine.sends()
        #expect(machine.withdrawAll().sorted() == [1, 2, 3])
        #expect(machine.statistics(now: .zero).discarded == [.reset: 3])
        #expect(machine.statistics(now: .zero).pending == 0)
        _ = machine.finish(1, .status(200))
        _ = machine.finish(3, .failed)
        #expect(machine.entries == [:])
    }

    @Test func `a forced retry ends the wait of one request, or of all`() {
        var machine = QueueMachine.make(.make(1, lane: "a"), .make(2, lane: "b"))
        _ = machine.sends()
        for sequence in [Int64(1), 2] { _ = machine.finish(sequence, .status(503, retryAfter: .seconds(60))) }
        #expect(machine.sends(1) == [])
        let found = [Int64(2), 9].map { machine.retry(QueueEntry.id($0)) }
        #expect(found == [true, false])
        #expect(machine.sends(1) == [2])
        machine.retryAll(now: .seconds(1))
        #expect(machine.sends(1) == [1])
    }

    @Test func `a new age also holds for what waits, but not beyond its own end`() {
        var machine = QueueMachine.make(.make(1), .make(2, end: .seconds(90_000)))
        machine.setOnline(false)
        #expect(machine.plan(now: .zero).wake == .seconds(86_400))
        machine.apply(QueueLimits(maxAge: .seconds(604_800)))
        #expect(machine.plan(now: .seconds(86_400)) == QueueMachine.Plan(wake: .seconds(90_000)))
        #expect(machine.plan(now: .seconds(90_000)) == QueueMachine.Plan(expired: [2], wake: .seconds(604_800)))
        machine.apply(QueueLimits(maxAge: .seconds(60)))
        #expect(machine.plan(now: .seconds(90_000)).expired == [1])
    }
}
