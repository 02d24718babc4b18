import Coordination
import Glibc
import Lab
import Testing

@testable import MicroHTTP

/// Bodies that are not kept.
@Suite(.timeLimit(.minutes(3)))
struct RefusedBodyTests {
    private static let limit = 8 << 20
    /// Refuses requests with `X-No` by their headers, and reports the length of what it is given.
    private static let route = Route(
        .post,
        "/a",
        name: "a",
        bodyLimit: limit,
        refusal: { $0.headers["X-No"].map { .text("no \($0)\n", status: 403) } },
        handler: .waiting { .text("\($0.takeBody().count)\n") }
    )

    private static func head(_ length: Int, _ more: String = "") -> String {
        "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: \(length)\r\n\(more)\r\n"
    }

    @Test func `a request that its headers refuse is drained up to 1 MiB, and the connection is kept`() async throws {
        try await serving([Self.route]) { port in
            try await blocking {
                let client = try Client(port)
                try client.send(Self.head(1 << 20, "X-No: 1\r\n"))
                try client.send([UInt8](repeating: 7, count: 1 << 20))
                #expect(try client.read().text == "no 1\n")
                #expect(try client.ask("POST", "/a", body: "abc").text == "3\n")
            }
        }
    }

    @Test(arguments: [true, false])
    func `beyond 1 MiB the answer comes in the middle, and the connection is closed`(isChunked: Bool) async throws {
        try await serving([Self.route]) { port in
            try await blocking {
                let client = try Client(port)
                let length = Self.limit - 1
                let framing = isChunked ? "Transfer-Encoding: chunked\r\n" : "Content-Length: \(length)\r\n"
                try client.send("POST /a HTTP/1.1\r\nHost: x\r\nX-No: 1\r\n\(framing)\r\n")
                if isChunked { try client.send(String(length, radix: 16) + "\r\n") }
                client.sendWhatFits(length)
                let answer = try client.read()
                #expect(answer.status == 403 && answer.headers["connection"] == "close")
                #expect(answer.headers["date"]?.hasSuffix(" GMT") == true)
                #expect(client.isClosed())
            }
        }
    }

    @Test(arguments: [8192, 32_768, 131_072])
    func `a client that goes on sending after the answer gets a reset, also where it fills the window`(
        buffer: Int32
    ) async throws {
        try await serving([Self.route]) { port in
            try await blocking {
                let client = try Client(port)
                // Answered: the server has accepted the connection.
                #expect(try client.ask("POST", "/a", body: "abc").text == "3\n")
                let server = try #require(client.findServerSocket())
                var size = buffer
                setsockopt(server, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
                try client.send(Self.head(Self.limit, "X-No: 1\r\n"))
                let piece = [UInt8](repeating: 7, count: 65_536)
                let failure = #expect(throws: Client.Failure.self) {
                    for _ in 0..<Self.limit / piece.count - 1 { try client.send(piece) }
                }
                #expect(failure?.errorNumber == EPIPE || failure?.errorNumber == ECONNRESET)
            }
        }
    }

    @Test func `the answer to HEAD in the middle has no body`() async throws {
        try await serving([echo(.get, "/a")]) { port in
            try await blocking {
                let client = try Client(port)
                try client.send("HEAD /a HTTP/1.1\r\nHost: x\r\nContent-Length: \(Self.limit)\r\n\r\n")
                let answer = try client.read(isHead: true)
                #expect(answer.status == 413 && answer.headers["content-length"] != "0")
                #expect(client.isClosed())
            }
        }
    }

    @Test func `bodies that exceed the memory for all get 503, until others have been answered`() async throws {
        let (release, open) = AsyncStream<Void>.makeStream()
        let (starts, started) = AsyncStream<Void>.makeStream()
        let route = Route(
            .post,
            "/a",
            name: "a",
            bodyLimit: Self.limit,
            handler: .waiting { request in
                let count = request.takeBody().count
                started.yield()
                for await _ in release { break }
                return .text("\(count)\n")
            }
        )
        // Each byte counts four times.
        let configure: (inout Server.Configuration) -> Void = { $0.bodyMemory = 4 << 20 }
        try await serving([route], configure: configure) { port in
            let first = SendableClient(try Client(port))
            try first.value.send(Self.head(600_000))
            try first.value.send([UInt8](repeating: 7, count: 600_000))
            for await _ in starts { break }
            try await blocking {
                let second = try Client(port)
                try second.send(Self.head(600_000))
                try second.send([UInt8](repeating: 7, count: 600_000))
                let answer = try second.read()
                #expect(answer.status == 503 && answer.headers["retry-after"] == "5")
                open.yield()
                #expect(try first.value.read().text == "600000\n")
                open.yield()
                // The next request of its connection follows the end of the first one.
                #expect(try first.value.ask("POST", "/a", body: "abc").text == "3\n")
                open.yield()
                let third = try Client(port)
                try third.send(Self.head(600_000))
                try third.send([UInt8](repeating: 7, count: 600_000))
                #expect(try third.read().text == "600000\n")
            }
        }
    }
}
