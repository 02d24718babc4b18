import Testing

@testable import SpeedTestCore

struct ServerBooksTests {
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

    @Test func `refuses strangers, and other sites' pages unless they are listed`() {
        var books = ServerBooks(limits: limits { $0.origins = ["https://a.example"] })
        #expect(refusal { () throws(ServerRefusal) in try books.check(peer: "10.0.0.1", foreignOrigin: nil) } == nil)
        #expect(
            refusal { () throws(ServerRefusal) in try books.check(peer: "8.8.8.8", foreignOrigin: nil) }
                == ServerRefusal(.address)
        )
        #expect(
            refusal { () throws(ServerRefusal) in
                try books.check(peer: "10.0.0.1", foreignOrigin: "https://a.example")
            } == nil
        )
        for origin in ["", "https://b.example", "https://a.example.evil"] {
            #expect(
                refusal { () throws(ServerRefusal) in try books.check(peer: "10.0.0.1", foreignOrigin: origin) }
                    == ServerRefusal(.crossSite)
            )
        }
        #expect(books.rejected == [.address: 1, .crossSite: 3])
    }

    @Test func `a transfer that goes on after its refusal is counted, and refused once`() throws {
        var books = ServerBooks(limits: limits())
        var transfer = ServerTransfer.Facts(began: start, bytes: 1001)
        #expect(
            refusal { () throws(ServerRefusal) in try books.add(received: 1001, of: transfer, at: start) }
                == ServerRefusal(.bytes)
        )
        transfer.isRefused = true
        #expect(
            refusal { () throws(ServerRefusal) in try books.add(received: 10, of: transfer, at: start) }
                == ServerRefusal(.bytes)
        )
        #expect(books.rejected == [.bytes: 1] && books.received == 1011)
    }

    @Test func `a server that was switched off lets nobody in, and ends what is under way`() {
        var books = ServerBooks(limits: limits())
        books.limits = nil
        let refusals = [
            refusal { () throws(ServerRefusal) in try books.check(peer: "127.0.0.1", foreignOrigin: nil) },
            refusal { () throws(ServerRefusal) in _ = try books.begin(peer: "127.0.0.1", at: start) },
            refusal { () throws(ServerRefusal) in
                try books.add(transmitted: 1, of: .init(began: start, bytes: 1), at: start)
            },
        ]
        #expect(refusals == Array(repeating: ServerRefusal(.address), count: 3))
    }

    @Test func `gives a transfer as much as it may have`() throws {
        var books = ServerBooks(limits: limits())
        #expect(try books.begin(peer: "a", at: start) == 1000)
        try books.add(received: 4400, of: .init(began: start), at: start)
        #expect(try books.begin(peer: "a", at: start) == 600)
        #expect(books.received == 4400 && books.transmitted == 0 && books.activeTransfers == 2)
    }

    @Test func `refuses a body that is too large, and one that the day has no bytes for`() throws {
        var books = ServerBooks(limits: limits())
        #expect(
            refusal { () throws(ServerRefusal) in _ = try books.begin(peer: "a", uploadSize: 1001, at: start) }
                == ServerRefusal(.bytes)
        )
        try books.add(transmitted: 4400, of: .init(began: start), at: start)
        let later = start + .seconds(3600)
        let endOfDay = ServerRefusal(.bytesPerDay, retryAfter: .seconds(82_800))
        #expect(
            refusal { () throws(ServerRefusal) in _ = try books.begin(peer: "a", uploadSize: 601, at: later) }
                == endOfDay
        )
        #expect(try books.begin(peer: "a", uploadSize: 600, at: later) == 600)
        #expect(
            refusal { () throws(ServerRefusal) in
                try books.add(transmitted: 600, of: .init(began: later, bytes: 600), at: later)
            } == endOfDay
        )
        #expect(refusal { () throws(ServerRefusal) in _ = try books.begin(peer: "a", at: later) } == endOfDay)
        #expect(books.rejected == [.bytes: 1, .bytesPerDay: 3])
    }

    @Test func `lets the last bytes of a day end their transfer`() {
        var books = ServerBooks(limits: limits { $0.maxBytesPerDay = 100 })
        let facts = ServerTransfer.Facts(began: start, expected: 100)
        var last = facts
        last.bytes = 100
        #expect(refusal { () throws(ServerRefusal) in try books.add(transmitted: 100, of: last, at: start) } == nil)
    }

    @Test func `refuses more clients than places until one leaves`() throws {
        var books = ServerBooks(limits: limits())
        _ = try books.begin(peer: "a", at: start)
        _ = try books.begin(peer: "b", at: start)
        let refused = refusal { () throws(ServerRefusal) in _ = try books.begin(peer: "c", at: start) }
        #expect(refused == ServerRefusal(.clients, retryAfter: .seconds(5)))
        books.end(peer: "a", at: start)
        #expect(try books.begin(peer: "c", at: start) == 1000)
        #expect(books.activeTransfers == 2)
    }

    @Test func `ends a transfer that lasts too long or is too large, by the limits of the moment`() throws {
        var books = ServerBooks(limits: limits())
        let facts = ServerTransfer.Facts(began: start, bytes: 1000)
        try books.add(received: 1, of: facts, at: start + .seconds(30))
        let late = refusal { () throws(ServerRefusal) in
            try books.add(received: 1, of: facts, at: start + .seconds(31))
        }
        #expect(late == ServerRefusal(.duration, retryAfter: .seconds(1)))
        books.limits?.maxBytes = 999
        let large = refusal { () throws(ServerRefusal) in try books.add(received: 1, of: facts, at: start) }
        #expect(large == ServerRefusal(.bytes))
        #expect(books.received == 3, "counted all the same")
    }

    @Test func `counts one that was cut after its time as refused for that`() throws {
        var books = ServerBooks(limits: limits())
        let facts = ServerTransfer.Facts(began: start)
        books.end(peer: "a", cut: facts, at: start + .seconds(30))
        #expect(books.rejected.isEmpty)
        books.end(peer: "a", cut: facts, at: start + .seconds(31))
        #expect(books.rejected == [.duration: 1])
        books.end(peer: "a", at: start + .seconds(31))
        #expect(books.rejected == [.duration: 1])
    }

    @Test func `counts a named test`() throws {
        var books = ServerBooks(limits: limits())
        _ = try books.begin(peer: "a", test: "t", at: start)
        try books.add(received: 7, of: .init(began: start, test: "t"), at: start)
        #expect(books.tests.count(of: "t", at: start)?.bytes == 7)
    }

    @Test(arguments: [
        (ServerRefusal.Reason.address, 403), (.crossSite, 403), (.bytes, 413), (.clients, 503), (.bytesPerDay, 503),
        (.duration, 503),
    ])
    func `has a status for each reason`(reason: ServerRefusal.Reason, status: Int) {
        #expect(ServerRefusal(reason).status == status)
    }
}
