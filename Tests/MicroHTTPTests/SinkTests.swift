import Coordination
import Glibc
import Lab
import Testing

@testable import MicroHTTP

@Suite(.timeLimit(.minutes(3)))
struct SinkTests {
    private let record = Locked(RecordingSink.Record())

    @Test func `takes a body of any size piece by piece, and keeps the connection`() async throws {
        let record = record
        try await serving([RecordingSink.route(record)]) { port in
            try await blocking {
                let client = try Client(port)
                let size = 20_000_000
                try client.send("POST /up HTTP/1.1\r\nHost: x\r\nContent-Length: \(size)\r\n\r\n")
                try client.send([UInt8](repeating: 7, count: size))
                #expect(try client.read().text == "\(size)")
                #expect(try client.ask("POST", "/up", body: "abc").text == "\(size + 3)")
                #expect(try client.ask("POST", "/up").text == "\(size + 3)")
            }
        }
        let result = record.withLock { $0 }
        #expect(result.finished == 3 && result.aborted == 0)
        // What libmicrohttpd holds for a connection, not the body.
        #expect(result.largestPiece <= 40_000)
    }

    @Test func `takes chunks`() async throws {
        let record = record
        try await serving([RecordingSink.route(record)]) { port in
            try await blocking {
                let client = try Client(port)
                try client.send("POST /up HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
                for _ in 0..<100 { try client.send("3e8\r\n" + String(repeating: "x", count: 1000) + "\r\n") }
                try client.send("0\r\n\r\n")
                #expect(try client.read().text == "100000")
            }
        }
    }

    @Test func `Sends 100 Continue for an expected body, or refuses it unread`() async throws {
        let record = record
        let route = RecordingSink.route(record) { $0.headers["X-No"] == nil ? nil : .text("no\n", status: 503) }
        try await serving([route]) { port in
            try await blocking {
                let head = "POST /up HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n"
                let client = try Client(port)
                try client.send("\(head)\r\n")
                #expect(try client.read().status == 100)
                try client.send("12345")
                #expect(try client.read().text == "5")
                let refused = try Client(port)
                try refused.send("\(head)X-No: 1\r\n\r\n")
                #expect(try refused.read().status == 503)
                #expect(refused.isClosed())
                // The end comes after the answer, also for a client that did not ask and still sends.
                for length in [3, 10_000_000] {
                    let sending = try Client(port)
                    try sending.send("POST /up HTTP/1.1\r\nHost: x\r\nContent-Length: \(length)\r\nX-No: 1\r\n\r\n")
                    try sending.send([UInt8](repeating: 7, count: min(length, 200_000)))
                    let answer = try sending.read()
                    #expect(answer.status == 503 && answer.headers["connection"] == "close")
                    #expect(sending.isClosed())
                }
            }
        }
        #expect(record.withLock { $0.bytes } == 5)
    }

    @Test func `refuses in the middle of a body, and then closes`() async throws {
        let record = record
        let codes = Locked<[Int]>([])
        let configure: (inout Server.Configuration) -> Void = {
            $0.onResponse = { _, status in codes.withLock { $0.append(status) } }
        }
        try await serving([RecordingSink.route(record, limit: 100_000)], configure: configure) { port in
            try await blocking {
                let client = try Client(port)
                try client.send("POST /up HTTP/1.1\r\nHost: x\r\nContent-Length: 10000000\r\n\r\n")
                try client.send([UInt8](repeating: 7, count: 200_000))
                let answer = try client.read()
                #expect(answer.status == 503 && answer.text == "enough\n")
                #expect(answer.headers["connection"] == "close")
                #expect(client.isClosed())
            }
        }
        let result = record.withLock { $0 }
        #expect(result.aborted == 1 && result.finished == 0)
        #expect(codes.withLock { $0 } == [503])
    }

    @Test(arguments: [(nil, 50_000), (nil, 4_000_000), (20_000, 50_000), (20_000, 4_000_000)] as [(Int?, Int)])
    func `a refused body is read no further, and what arrived of it is counted`(limit: Int?, size: Int) async throws {
        let record = record
        let route = RecordingSink.route(record, limit: limit ?? .max) { _ in
            limit == nil ? .text("no\n", status: 503) : nil
        }
        try await serving([route]) { port in
            try await blocking {
                let client = try Client(port)
                // In one call: the server may close a second after it has refused the head.
                client.sendWhatFits(size, after: "POST /up HTTP/1.1\r\nHost: x\r\nContent-Length: 10000000\r\n\r\n")
                #expect(try client.read().status == 503)
                #expect(client.isClosed())
            }
        }
        let result = record.withLock { $0 }
        #expect(limit == nil ? result.bytes == 0 : result.bytes <= 60_000)
        let arrived = result.bytes + result.discarded
        // What fits into the kernel's buffer arrives, whether it is read or not.
        #expect(size < 1_000_000 ? arrived == size : arrived > 0 && arrived < 1_000_000, "\(result)")
    }

    @Test(arguments: [true, false]) func `Aborts the sink of a client that has gone`(isHalfClosed: Bool) async throws {
        let record = record
        // A tenth of it is the interval at which closed clients are looked for.
        let configure: (inout Server.Configuration) -> Void = { $0.bodyDeadline = .milliseconds(300) }
        try await serving([RecordingSink.route(record)], configure: configure) { port in
            try await blocking {
                let client = try Client(port)
                try client.send("POST /up HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nabc")
                try block(until: "the beginning of the body") { record.withLock { $0.bytes } >= 3 }
                if isHalfClosed { shutdown(client.descriptor, Int32(SHUT_WR)) } else { client.disconnect() }
                try block(until: "the end of the sink") { record.withLock { $0.aborted } > 0 }
            }
        }
        #expect(record.withLock { $0 }.finished == 0)
    }

    @Test func `ends a body that takes longer than its own deadline, and not one that the server's would end`()
        async throws
    {
        let record = record
        let slow = Route(
            .post,
            "/slow",
            name: "slow",
            handler: .sink { _ in .accept(RecordingSink(record)) }
        )
        let routes = [RecordingSink.route(record, deadline: .milliseconds(300)), slow]
        let configure: (inout Server.Configuration) -> Void = { $0.bodyDeadline = .milliseconds(200) }
        try await serving(routes, configure: configure) { port in
            try await blocking {
                let patient = try Client(port)
                try patient.send("POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n")
                let client = try Client(port)
                try client.send("POST /up HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n")
                #expect(try client.read().status == 408)
                #expect(client.isClosed())
                try patient.send("abc")
                #expect(try patient.read().status == 200)
            }
        }
        #expect(record.withLock { $0 }.aborted == 1)
    }

    @Test func `Aborts its sinks when the server stops`() async throws {
        let record = record
        // Returned, so that it is connected until the server has stopped.
        let client = try await serving([RecordingSink.route(record)]) { port in
            try await blocking {
                let client = SendableClient(try Client(port))
                try client.value.send("POST /up HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nabc")
                try block(until: "the beginning of the body") { record.withLock { $0.bytes } >= 3 }
                return client
            }
        }
        #expect(client.value.isClosed())
        #expect(record.withLock { $0 }.aborted == 1)
    }
}
