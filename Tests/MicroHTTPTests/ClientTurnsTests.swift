import Testing

@testable import MicroHTTP

struct ClientTurnsTests {
    private var turns = ClientTurns<Int>()

    @Test mutating func `the client whose next one is not due does not lose its turn`() {
        for number in 1...3 { turns.add(number, from: "192.0.2.1") }
        turns.add(4, from: "192.0.2.2")
        #expect(turns.next(where: { $0 == 4 }) == 4)
        #expect(turns.next(where: { $0 > 1 }) == 2)
        #expect(turns.next(where: { $0 > 3 }) == nil)
        #expect(turns.all == [1, 3] && turns.count == 2)
    }

    @Test mutating func `the oldest one of the client that has the most, among some`() {
        for number in 1...3 { turns.add(number, from: "192.0.2.1") }
        for number in 4...5 { turns.add(number, from: "192.0.2.2") }
        #expect(turns.oldestOfLargest { $0 > 1 } == 2)
        #expect(turns.removeOldestOfLargest { $0 > 3 } == 4)
        #expect(turns.removeOldestOfLargest() == 1)
        #expect(turns.removeOldest(of: "192.0.2.2") == 5)
        #expect(turns.removeOldest(of: "192.0.2.2") == nil)
        #expect(turns.removeFirst { $0 == 3 } == 3)
        #expect(turns.all == [2] && turns.count(of: "192.0.2.1") == 1)
    }
}
