import Testing

@testable import Probing

struct PendingPingsTests {
    private var pings = PendingPings<String>(lastSequence: 9)
    private let start = ContinuousClock.now

    private mutating func send(_ name: String, token: UInt64, key: UInt32 = 0) -> UInt16? {
        guard let sequence = pings.nextSequence() else { return nil }
        let ping = PendingPings<String>.Ping(
            token: token,
            name: name,
            timeout: .seconds(2),
            times: EchoTimes(sentAt: start, sentWallTime: .seconds(1)),
            key: key,
            waiter: name
        )
        pings.insert(ping, sequence: sequence)
        return sequence
    }

    @Test mutating func `A reply is taken once`() {
        #expect(send("router", token: 77) == 10)
        #expect(pings.take(sequence: 10, token: 77)?.waiter == "router")
        #expect(pings.take(sequence: 10, token: 77) == nil)
        #expect(pings.count == 0)
    }

    @Test mutating func `a reply without the token is not ours`() {
        #expect(send("router", token: 77) == 10)
        #expect(pings.take(sequence: 10, token: 78) == nil)
        #expect(pings.take(sequence: 11, token: 77) == nil)
        #expect(pings.take(sequence: 10, token: 77) != nil)
    }

    @Test mutating func `A reply after the timeout is late and resumes no waiter`() {
        #expect(send("router", token: 77) == 10)
        #expect(pings.giveUp(token: 77, at: start + .seconds(2)) == "router")
        #expect(pings.giveUp(token: 77, at: start + .seconds(2)) == nil)
        let late = pings.take(sequence: 10, token: 77)
        #expect(late?.name == "router" && late?.waiter == nil)
        #expect(pings.take(sequence: 10, token: 77) == nil, "late once")
    }

    @Test mutating func `a reply long after the timeout is forgotten`() {
        #expect(send("router", token: 77) == 10)
        _ = pings.giveUp(token: 77, at: start)
        #expect(send("next", token: 78) == 11)
        _ = pings.giveUp(token: 78, at: start + .seconds(29))
        #expect(pings.count == 2)
        #expect(send("last", token: 79) == 12)
        _ = pings.giveUp(token: 79, at: start + .seconds(35))
        #expect(pings.count == 2)
        #expect(pings.take(sequence: 10, token: 77) == nil)
        #expect(pings.take(sequence: 11, token: 78) != nil)
    }

    @Test mutating func `Sequences wrap around those in use`() {
        #expect(send("router", token: 77) == 10)
        for token in 0..<UInt64(UInt16.max) - 1 {
            let sequence = send("other", token: token + 1000)
            #expect(sequence.map { pings.take(sequence: $0, token: token + 1000) } != nil)
        }
        #expect(send("before", token: 1) == 9)
        #expect(send("after", token: 2) == 11)
        #expect(pings.take(sequence: 10, token: 77)?.waiter == "router")
    }

    @Test mutating func `A sequence that only waits for a late reply is reused when needed`() {
        #expect(send("router", token: 77) == 10)
        _ = pings.giveUp(token: 77, at: start)
        for token in 0..<UInt64(UInt16.max) { _ = send("other", token: token + 1000) }
        #expect(send("new", token: 78) == 10)
        #expect(pings.take(sequence: 10, token: 77) == nil)
        #expect(pings.count == 65_536)
        #expect(send("too many", token: 79) == nil)
    }

    @Test mutating func `An error ends the wait of its sequence`() {
        #expect(send("router", token: 77) == 10)
        #expect(pings.take(failed: 11) == nil)
        #expect(pings.take(failed: 10)?.waiter == "router")
        #expect(pings.take(failed: 10) == nil)
    }

    @Test mutating func `An error after the timeout does not remove the late reply`() {
        #expect(send("router", token: 77) == 10)
        _ = pings.giveUp(token: 77, at: start)
        #expect(pings.take(failed: 10) == nil)
        #expect(pings.take(sequence: 10, token: 77) != nil)
    }

    @Test mutating func `A timestamp belongs to the request of its number`() {
        #expect(send("first", token: 1, key: 0) == 10)
        #expect(send("second", token: 2, key: 1) == 11)
        pings.setDeparture(.seconds(5), key: 1)
        pings.setDeparture(.seconds(9), key: 2)
        #expect(pings.take(sequence: 10, token: 1)?.times.departure == nil)
        #expect(pings.take(sequence: 11, token: 2)?.times.departure == .seconds(5))
    }

    @Test mutating func `numbers that start again belong to later requests`() {
        #expect(send("first", token: 1, key: 0) == 10)
        pings.forgetKeys()
        #expect(send("second", token: 2, key: 0) == 11)
        #expect(pings.take(sequence: 10, token: 1) != nil)
        pings.setDeparture(.seconds(5), key: 0)
        #expect(pings.take(sequence: 11, token: 2)?.times.departure == .seconds(5))
    }
}
