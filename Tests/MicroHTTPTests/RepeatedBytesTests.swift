import Coordination
import Glibc
import Lab
import Posix
import Testing

@testable import MicroHTTP

@Suite(.timeLimit(.minutes(3)))
struct RepeatedBytesTests {
    @Test(arguments: [(0, 10), (5, 10), (9, 3), (95, 10), (100, 10), (0, 100)])
    func `goes on where the buffer ends`(position: Int, size: Int) {
        let bytes = RepeatedBytes([0, 1, 2, 3, 4, 5, 6], count: 100)
        var target = [UInt8](repeating: 99, count: size)
        let count = target.withUnsafeMutableBytes { bytes.copy(from: UInt64(position), into: $0) }
        #expect(count == min(size, 100 - position))
        #expect(target.prefix(count).elementsEqual((position..<position + count).map { UInt8($0 % 7) }))
    }

    @Test func `an empty buffer makes an empty body`() {
        #expect(RepeatedBytes([], count: 5).count == 0)
    }

    private struct Report: Equatable {
        var bytes = 0
        var ends: [Bool] = []
    }

    private static func route(
        _ reported: Locked<Report>,
        count: UInt64,
        limit: Int = .max,
        deadline: Duration? = nil
    ) -> Route {
        var bytes = RepeatedBytes((0..<1000).map { UInt8($0 % 251) }, count: count, deadline: deadline)
        bytes.onSend = { count in
            reported.withLock { reported in
                reported.bytes += count
                return reported.bytes <= limit
            }
        }
        bytes.onEnd = { isComplete in reported.withLock { $0.ends.append(isComplete) } }
        return Route(.get, "/d", name: "d", handler: .immediate { [bytes] _ in Response(body: .repeating(bytes)) })
    }

    @Test func `Sends the announced number of bytes, reports them, and keeps the connection`() async throws {
        let reported = Locked(Report())
        try await serving([Self.route(reported, count: 3_000_001), echo(.get, "/a")]) { port in
            try await blocking {
                let client = try Client(port)
                let answer = try client.ask("GET", "/d")
                #expect(answer.headers["content-length"] == "3000001")
                #expect(answer.body.enumerated().allSatisfy { $1 == UInt8($0 % 1000 % 251) })
                let head = try client.ask("HEAD", "/d")
                #expect(head.headers["content-length"] == "3000001" && head.body.isEmpty)
                #expect(try client.ask("GET", "/a").status == 200)
            }
        }
        #expect(reported.withLock { $0 } == Report(bytes: 3_000_001, ends: [true, true]))
    }

    @Test func `an empty body has its length too`() async throws {
        let reported = Locked(Report())
        try await serving([Self.route(reported, count: 0)]) { port in
            try await blocking {
                let client = try Client(port)
                for _ in 0..<2 { #expect(try client.ask("GET", "/d").headers["content-length"] == "0") }
            }
        }
        #expect(reported.withLock { $0 } == Report(bytes: 0, ends: [true, true]))
    }

    @Test func `Is ended by its owner, by its deadline and by the client`() async throws {
        let reported = Locked(Report())
        // More than the kernel's buffers hold.
        let size: UInt64 = 1_000_000_000
        for (limit, deadline) in [(1_000_000, nil), (.max, Duration.milliseconds(300)), (.max, nil)]
            as [(Int, Duration?)]
        {
            reported.withLock { $0 = Report() }
            let configure: (inout Server.Configuration) -> Void = { $0.bodyDeadline = .milliseconds(300) }
            try await serving(
                [Self.route(reported, count: size, limit: limit, deadline: deadline)],
                configure: configure
            ) {
                port in
                try await blocking {
                    let client = try Client(port)
                    try client.send("GET /d HTTP/1.1\r\nHost: x\r\n\r\n")
                    client.readOnce()
                    if limit == .max, deadline == nil { client.disconnect() }
                    try block(until: "the end of the answer") { reported.withLock { !$0.ends.isEmpty } }
                }
            }
            #expect(reported.withLock { $0.ends } == [false])
        }
    }

    @Test func `Waits for a slow client, while others are served`() async throws {
        let reported = Locked(Report())
        try await serving([Self.route(reported, count: 1_000_000_000), echo(.get, "/a")]) { port in
            try await blocking {
                let slow = try Client(port, receiveBuffer: 4096)
                try slow.send("GET /d HTTP/1.1\r\nHost: x\r\n\r\n")
                slow.readOnce()
                for _ in 0..<100 { #expect(try Client(port).ask("GET", "/a").status == 200) }
                // The kernel's send buffer grows to 4 MB (net.ipv4.tcp_wmem).
                #expect(reported.withLock { $0.bytes } < 8_000_000)
            }
        }
        #expect(reported.withLock { $0.ends } == [false])
    }

    @Test(arguments: ["reno", "cubic"]) func `Sets and reports the congestion control`(name: String) async throws {
        let route = Route(
            .get,
            "/d",
            name: "d",
            handler: .immediate { request in
                var response = Response(body: .repeating(RepeatedBytes([1], count: 10)))
                response.congestionControl = request.queryValue("name")
                response.congestionControlField = "X-Congestion-Control"
                return response
            }
        )
        try await serving([route]) { port in
            try await blocking {
                let client = try Client(port)
                let first = try client.ask("GET", "/d").headers["x-congestion-control"]
                #expect(first == SocketOptions.congestionControl(of: client.descriptor), "the system's")
                #expect(try client.ask("GET", "/d?name=\(name)").headers["x-congestion-control"] == name)
                #expect(try client.ask("GET", "/d?name=nonsense").headers["x-congestion-control"] == name)
            }
        }
    }
}
