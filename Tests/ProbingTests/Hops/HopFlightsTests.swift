import Posix
import Testing

@testable import Probing

/// Which answer belongs to which probe.
struct HopFlightsTests {
    private var flights = HopFlights<String>(lastNumber: .max - 1)

    private mutating func send(_ name: String, to distance: Int, key: UInt32 = 0) throws -> UInt16 {
        let next = flights.nextNumber(to: distance)
        let number = try #require(next)
        let times = EchoTimes(sentAt: .now, sentWallTime: .zero)
        flights.insert(.init(distance: distance, times: times, key: key, waiter: name), number: number)
        return number
    }

    @Test mutating func `Each of several answers finds its own probe, in whatever order they come`() throws {
        let numbers = try ["a", "b", "c"].map { try send($0, to: 2) }
        let other = try send("d", to: 3)
        #expect(Set(numbers + [other]).count == 4)
        #expect(flights.take(numbers[1], at: 2).map(\.waiter) == ["b"])
        #expect(flights.take(numbers[0], at: 2).map(\.waiter) == ["a"])
        #expect(flights.take(numbers[2], at: 2).map(\.waiter) == ["c"])
        #expect(flights.take(other, at: 3).map(\.waiter) == ["d"])
        #expect(flights.count == 0)
    }

    @Test mutating func `A late, repeated or forged answer finds none`() throws {
        let number = try send("a", to: 2)
        #expect(flights.take(number, at: 3).isEmpty, "another port")
        #expect(flights.take(number &+ 1, at: 2).isEmpty)
        #expect(flights.take(number, at: 2).count == 1)
        #expect(flights.take(number, at: 2).isEmpty, "repeated")
        let late = try send("b", to: 2)
        #expect(flights.giveUp(late)?.waiter == "b")
        #expect(flights.take(late, at: 2).isEmpty)
        #expect(flights.giveUp(late) == nil)
    }

    @Test mutating func `Of a router that quotes too little only one probe is under way`() throws {
        _ = try send("a", to: 3)
        _ = try send("b", to: 3)
        _ = try send("c", to: 2)
        #expect(Set(flights.take(nil, at: 3).map(\.waiter)) == ["a", "b"], "it is unknown which was answered")
        _ = try send("d", to: 3)
        #expect(flights.nextNumber(to: 3) == nil)
        #expect(flights.nextNumber(to: 2) != nil)
        #expect(flights.take(nil, at: 3).map(\.waiter) == ["d"], "no other can be meant")
        let number = try send("e", to: 3)
        #expect(flights.take(number, at: 3).count == 1)
        _ = try send("f", to: 3)
        #expect(flights.nextNumber(to: 3) != nil, "its last answer quoted enough")
    }

    @Test mutating func `A time stamp belongs to the probe of its number, until these start again`() throws {
        let first = try send("a", to: 1, key: 0)
        let second = try send("b", to: 2, key: 1)
        flights.setDeparture(.seconds(5), key: 1)
        flights.setDeparture(.seconds(9), key: 7)
        flights.forgetKeys()
        flights.setDeparture(.seconds(6), key: 0)
        #expect(flights.take(first, at: 1).first?.times.departure == nil)
        #expect(flights.take(second, at: 2).first?.times.departure == .seconds(5))
    }
}
