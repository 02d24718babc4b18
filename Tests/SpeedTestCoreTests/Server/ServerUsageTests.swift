import Statistics
import Testing

@testable import SpeedTestCore

struct ServerUsageTests {
    private let start = ContinuousClock.now

    private func limits(_ change: (inout ServerLimits) -> Void = { _ in }) -> ServerLimits {
        var limits = ServerLimits()
        limits.maxBytes = 1000
        limits.maxBytesPerDay = 5000
        limits.maxDuration = .seconds(30)
        limits.maxClients = 2
        change(&limits)
        return limits
    }

    private func refusal(_ body: () throws(ServerRefusal) -> Void) -> ServerRefusal? {
        do throws(ServerRefusal) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    @Test func `refuses other addresses, and other sites' pages unless they are listed`() {
        var usage = ServerUsage(limits: limits { $0.origins = ["https://a.example"] })
        #expect(refusal { () throws(ServerRefusal) in try usage.check(peer: "10.0.0.1", foreignOrigin: nil) } == nil)
        #expect(
            refusal { () throws(ServerRefusal) in try usage.check(peer: "8.8.8.8", foreignOrigin: nil) }
                == ServerRefusal(.address)
        )
        #expect(
            refusal { () throws(ServerRefusal) in
                try usage.check(peer: "10.0.0.1", foreignOrigin: "https://a.example")
            } == nil
        )
        for origin in ["", "https://b.example", "https://a.example.evil"] {
            #expect(
                refusal { () throws(ServerRefusal) in try usage.check(peer: "10.0.0.1", foreignOrigin: origin) }
                    == ServerRefusal(.crossSite)
            )
        }
        #expect(usage.rejected == [.address: 1, .crossSite: 3])
    }

    @Test func `a transfer that continues after its refusal is counted, and refused once`() throws {
        var usage = ServerUsage(limits: limits())
        var transfer = ServerTransfer.Facts(began: start, bytes: 1001)
        #expect(
            refusal { () throws(ServerRefusal) in try usage.add(.init(received: 1001), of: transfer, at: start) }
                == ServerRefusal(.bytes)
        )
        transfer.isRefused = true
        #expect(
            refusal { () throws(ServerRefusal) in try usage.add(.init(received: 10), of: transfer, at: start) }
                == ServerRefusal(.bytes)
        )
        #expect(usage.rejected == [.bytes: 1] && usage.bytes.received == 1011)
    }

    @Test func `a disabled server refuses all clients, and ends its transfers`() {
        var usage = ServerUsage(limits: limits())
        usage.limits = nil
        let refusals = [
            refusal { () throws(ServerRefusal) in try usage.check(peer: "127.0.0.1", foreignOrigin: nil) },
            refusal { () throws(ServerRefusal) in _ = try usage.begin(peer: "127.0.0.1", at: start) },
            refusal { () throws(ServerRefusal) in
                try usage.add(.init(transmitted: 1), of: .init(began: start, bytes: 1), at: start)
            },
        ]
        #expect(refusals == Array(repeating: ServerRefusal(.address), count: 3))
    }

    @Test func `limits the bytes of a transfer`() throws {
        var usage = ServerUsage(limits: limits())
        #expect(try usage.begin(peer: "a", at: start) == 1000)
        try usage.add(.init(received: 4400), of: .init(began: start), at: start)
        #expect(try usage.begin(peer: "a", at: start) == 600)
        #expect(usage.bytes == .init(received: 4400) && usage.activeTransfers == 2)
    }

    @Test func `refuses a body that is too large, and one above the rest of the day`() throws {
        var usage = ServerUsage(limits: limits())
        #expect(
            refusal { () throws(ServerRefusal) in _ = try usage.begin(peer: "a", uploadSize: 1001, at: start) }
                == ServerRefusal(.bytes)
        )
        try usage.add(.init(transmitted: 4400), of: .init(began: start), at: start)
        let later = start + .seconds(3600)
        let endOfDay = ServerRefusal(.bytesPerDay, retryAfter: .seconds(82_800))
        #expect(
            refusal { () throws(ServerRefusal) in _ = try usage.begin(peer: "a", uploadSize: 601, at: later) }
                == endOfDay
        )
        #expect(try usage.begin(peer: "a", uploadSize: 600, at: later) == 600)
        #expect(
            refusal { () throws(ServerRefusal) in
                try usage.add(.init(transmitted: 600), of: .init(began: later, bytes: 600), at: later)
            } == endOfDay
        )
        #expect(refusal { () throws(ServerRefusal) in _ = try usage.begin(peer: "a", at: later) } == endOfDay)
        #expect(usage.rejected == [.bytes: 1, .bytesPerDay: 3])
    }

    @Test func `lets the last bytes of a day end their transfer`() {
        var usage = ServerUsage(limits: limits { $0.maxBytesPerDay = 100 })
        let facts = ServerTransfer.Facts(began: start, expected: 100)
        var last = facts
        last.bytes = 100
        #expect(
            refusal { () throws(ServerRefusal) in try usage.add(.init(transmitted: 100), of: last, at: start) } == nil
        )
    }

    @Test func `refuses a client above the limit until another one leaves`() throws {
        var usage = ServerUsage(limits: limits())
        _ = try usage.begin(peer: "a", at: start)
        _ = try usage.begin(peer: "b", at: start)
        let refused = refusal { () throws(ServerRefusal) in _ = try usage.begin(peer: "c", at: start) }
        #expect(refused == ServerRefusal(.clients, retryAfter: .seconds(5)))
        usage.end(peer: "a", at: start)
        #expect(try usage.begin(peer: "c", at: start) == 1000)
        #expect(usage.activeTransfers == 2)
    }

    @Test func `ends a transfer that lasts too long or is too large, by the limits of the moment`() throws {
        var usage = ServerUsage(limits: limits())
        let facts = ServerTransfer.Facts(began: start, bytes: 1000)
        try usage.add(.init(received: 1), of: facts, at: start + .seconds(30))
        let late = refusal { () throws(ServerRefusal) in
            try usage.add(.init(received: 1), of: facts, at: start + .seconds(31))
        }
        #expect(late == ServerRefusal(.duration, retryAfter: .seconds(1)))
        usage.limits?.maxBytes = 999
        let large = refusal { () throws(ServerRefusal) in try usage.add(.init(received: 1), of: facts, at: start) }
        #expect(large == ServerRefusal(.bytes))
        #expect(usage.bytes.received == 3, "counted all the same")
    }

    @Test func `counts a transfer that was cut after its time as refused`() throws {
        var usage = ServerUsage(limits: limits())
        let facts = ServerTransfer.Facts(began: start)
        usage.end(peer: "a", cut: facts, at: start + .seconds(30))
        #expect(usage.rejected.isEmpty)
        usage.end(peer: "a", cut: facts, at: start + .seconds(31))
        #expect(usage.rejected == [.duration: 1])
        usage.end(peer: "a", at: start + .seconds(31))
        #expect(usage.rejected == [.duration: 1])
    }

    @Test func `unread bytes are bytes of the day only where their upload had begun`() throws {
        var usage = ServerUsage(limits: limits())
        usage.discard(4000, from: nil, at: start)
        #expect(try usage.begin(peer: "a", at: start) == 1000)
        usage.discard(4500, from: .init(began: start), at: start)
        #expect(try usage.begin(peer: "a", at: start) == 500)
        #expect(usage.bytes.received == 8500)
    }

    @Test func `counts a named test`() throws {
        var usage = ServerUsage(limits: limits())
        _ = try usage.begin(peer: "a", test: "t", at: start)
        try usage.add(.init(received: 7), of: .init(began: start, test: "t"), at: start)
        #expect(usage.tests.count(of: "t", at: start)?.bytes == 7)
    }

    @Test(arguments: [
        (ServerRefusal.Reason.address, 403), (.crossSite, 403), (.bytes, 413), (.clients, 503), (.bytesPerDay, 503),
        (.duration, 503),
    ])
    func `has a status for each reason`(reason: ServerRefusal.Reason, status: Int) {
        #expect(ServerRefusal(reason).status == status)
    }
}

struct ClientSlotsTests {
    @Test func `counts clients, and the transfers of each`() {
        var slots = ClientSlots()
        func enter(_ client: String) -> Bool { slots.enter(client, clientLimit: 2, transferLimit: 3) }
        #expect(enter("a") && enter("a") && enter("a"))
        #expect(!enter("a"), "a fourth of one client")
        #expect(enter("b"))
        #expect(!enter("c"), "a third client")
        #expect(enter("b"), "another of one that is in")
        #expect(slots.total == 5)
        slots.leave("b")
        #expect(!enter("c"))
        slots.leave("b")
        #expect(enter("c"))
        slots.leave("nobody")
        #expect(slots.total == 4)
    }
}

struct DailyBytesTests {
    private let start = ContinuousClock.now

    @Test func `a day begins with its first byte and lasts 24 hours`() {
        var day = DailyBytes()
        #expect(day.remaining(of: 100, at: start) == 100)
        day.add(30, at: start)
        let late = start + .seconds(86_399)
        #expect(day.remaining(of: 100, at: late) == 70)
        #expect(day.untilNextDay(at: late) == .seconds(1))
        day.add(80, at: late)
        #expect(day.remaining(of: 100, at: late) == 0)
        let next = start + .seconds(86_400)
        #expect(day.remaining(of: 100, at: next) == 100)
        #expect(day.untilNextDay(at: next) == .zero)
        day.add(1, at: next)
        #expect(day.remaining(of: 100, at: next + .seconds(86_399)) == 99)
    }

    @Test func `counts up to the maximum and never overflows`() {
        var day = DailyBytes()
        day.add(.max, at: start)
        day.add(.max, at: start)
        #expect(day.remaining(of: .max, at: start) == 0)
    }
}
