import Coordination
import HTTPTransfer
import Lab
import Testing

/// Bodies of answers and of requests.
@Suite(.timeLimit(.minutes(3)))
struct BodyTests {
    @Test func `a body is kept, and its headers`() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-One:  1 \r\nx-one: 2\r\n\r\nhello")
        }
        defer { server.close() }
        try await withLoop { loop async throws in
            let response = try await loop.perform(.collecting(server.url))
            #expect(response.status == 200 && response.body == Array("hello".utf8) && !response.isTruncated)
            #expect(response.headers.map(\.name) == ["Content-Length", "X-One", "x-one"])
            #expect(response.headers.map(\.value) == ["5", "1", "2"])
            #expect(response.statistics.httpVersion == "1.1")
            #expect(response.statistics.phases.sum == response.statistics.duration)
            #expect(response.statistics.connectionRTT ?? .zero > .zero)
        }
    }

    @Test(arguments: [(5, false), (4, true), (0, true)])
    func `a body is kept up to the limit`(_ limit: Int, _ isTruncated: Bool) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.send("HTTP/1.1 200 OK\r\n\r\nhello")
        }
        defer { server.close() }
        try await withLoop { loop async throws in
            let response = try await loop.perform(.collecting(server.url, limit: limit))
            #expect(response.body == Array("hello".utf8.prefix(limit)) && response.isTruncated == isTruncated)
        }
    }

    @Test func `an endless body ends at the limit`() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.send("HTTP/1.1 200 OK\r\n\r\n")
            while connection.send([UInt8](repeating: 1, count: 10_000)) {}
        }
        defer { server.close() }
        try await withLoop { loop async throws in
            let response = try await loop.perform(.collecting(server.url, limit: 100_000))
            #expect(response.body.count == 100_000 && response.isTruncated)
        }
    }

    @Test func `an endless head violates the protocol, and is no broken connection`() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.send("HTTP/1.1 200 OK\r\n")
            while connection.send("X-More: \(String(repeating: "x", count: 1000))\r\n") {}
        }
        defer { server.close() }
        try await withLoop { loop async throws in
            let error = await #expect(throws: TransferError.self) { try await loop.perform(.collecting(server.url)) }
            #expect(error?.reason == .protocolViolation && error?.cut == nil, "\(String(describing: error))")
        }
    }

    @Test func `chunks are put together`() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
        }
        defer { server.close() }
        try await withLoop { loop async throws in
            let received = Locked<[UInt8]>([])
            let request = TransferRequest(url: server.url).with {
                $0.sink = .stream { bytes in received.withLock { $0 += bytes } }
            }
            let response = try await loop.perform(request)
            #expect(response.body.isEmpty)
            #expect(received.withLock { $0 } == Array("abcde".utf8))
        }
    }
}
