import Testing

@testable import Posix

struct WaitTableTests {
    private var table = WaitTable<String>()
    private let start = ContinuousClock.now

    private mutating func add(_ number: UInt64, _ descriptor: Int32?, _ event: Readiness.Event, after: Int = 1) {
        let wait = WaitTable<String>.Wait(descriptor: descriptor, event: event, waiter: "\(number)")
        table.add(wait, number: number, deadline: start + .seconds(after))
    }

    @Test mutating func `the kernel is asked for what all together want`() throws {
        add(1, 7, .readable)
        add(2, 7, .writable)
        let interest = try #require(table.interest(in: 7))
        #expect(interest.conditions == [.input, .output])
        let ready = table.removeReady(Epoll.Report(number: interest.number, conditions: .output))
        #expect(ready?.waiters == ["2"])
        #expect(table.interest(in: 7)?.conditions == .input)
        #expect(table.removeReady(Epoll.Report(number: interest.number, conditions: .error))?.waiters == ["1"])
        #expect(table.interest(in: 7) == nil && table.count == 0)
    }

    @Test mutating func `a report for a file that had the number before is nobody's`() throws {
        add(1, 7, .readable)
        let old = try #require(table.interest(in: 7)).number
        #expect(table.remove(1) != nil)
        add(2, 7, .readable)
        #expect(table.removeReady(Epoll.Report(number: old, conditions: .input)) == nil)
        let new = try #require(table.interest(in: 7)).number
        #expect(table.removeReady(Epoll.Report(number: new, conditions: .input))?.waiters == ["2"])
    }

    @Test mutating func `waits expire in the order of their deadlines, and each once`() {
        for (number, after) in [(1, 5), (2, 1), (3, 4), (4, 2), (5, 3)] {
            add(UInt64(number), nil, .readable, after: after)
        }
        #expect(table.remove(2) != nil)
        #expect(table.earliestDeadline() == start + .seconds(2))
        #expect(table.removeExpired(at: start + .seconds(4)).map(\.waiter) == ["4", "5", "3"])
        #expect(table.removeExpired(at: start + .seconds(4)).isEmpty)
        #expect(table.earliestDeadline() == start + .seconds(5))
        #expect(table.removeAll() == ["1"] && table.earliestDeadline() == nil)
    }
}
