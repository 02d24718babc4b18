import Coordination
import Glibc
import Lab
import Testing

@testable import MicroHTTP

@Suite(.timeLimit(.minutes(3)))
struct StreamTests {
    @Test func `streams a sequence in chunks and keeps the connection`() async throws {
        let route = Route(
            .get,
            "/s",
            name: "s",
            handler: .immediate { _ in
                let chunks = AsyncStream<[UInt8]> { continuation in
                    for number in 0..<1000 { continuation.yield(Array("\(number),".utf8)) }
                    continuation.finish()
                }
                return .stream(chunks, contentType: "text/event-stream")
            }
        )
        let expected = (0..<1000).map { "\($0)," }.joined()
        try await serving([route]) { port in
            try await blocking {
                let client = try Client(port)
                for _ in 0..<3 {
                    let answer = try client.ask("GET", "/s")
                    #expect(answer.headers["transfer-encoding"] == "chunked")
                    #expect(answer.headers["content-type"] == "text/event-stream")
                    #expect(answer.text == expected)
                }
                let head = try client.ask("HEAD", "/s")
                #expect(head.status == 200)
                #expect(head.headers["content-type"] == "text/event-stream")
                #expect(head.headers["content-length"] == nil)
                #expect(client.isClosed())
            }
            try await blocking {
                let client = try Client(port)
                try client.send("GET /s HTTP/1.0\r\n\r\n")
                let old = try client.read()
                #expect(old.headers["transfer-encoding"] == nil)
                #expect(old.text == expected)
            }
        }
    }

    @Test func `sends each chunk without waiting for the next`() async throws {
        let (gate, open) = AsyncStream<Void>.makeStream()
        let route = Route(
            .get,
            "/s",
            name: "s",
            handler: .immediate { _ in
                Response(
                    body: .stream { writer in
                        try await writer.write(Array("first".utf8))
                        for await _ in gate { break }
                        try await writer.write(Array("second".utf8))
                    }
                )
            }
        )
        try await serving([route]) { port in
            try await blocking {
                let client = try Client(port)
                try client.send("GET /s HTTP/1.1\r\nHost: x\r\n\r\n")
                var seen: [UInt8] = []
                while !String(decoding: seen, as: UTF8.self).contains("first") {
                    var piece = [UInt8](repeating: 0, count: 1000)
                    let count = recv(client.descriptor, &piece, piece.count, 0)
                    try #require(count > 0)
                    seen += piece.prefix(count)
                }
                open.yield()
                #expect(String(decoding: client.readUntilEnd("0\r\n\r\n"), as: UTF8.self).contains("second"))
            }
        }
    }

    @Test func `cuts the connection when the producer fails`() async throws {
        let route = Route(
            .get,
            "/s",
            name: "s",
            handler: .immediate { _ in
                Response(
                    body: .stream { writer in
                        try await writer.write([1, 2, 3])
                        throw CancellationError()
                    }
                )
            }
        )
        try await serving([route]) { port in
            try await blocking {
                let client = try Client(port)
                #expect(throws: Client.Failure.self) { try client.ask("GET", "/s") }
            }
        }
    }

    @Test func `Suspends the producer for a slow reader and cancels it when the reader goes`() async throws {
        let written = Locked(0)
        let (ended, end) = AsyncStream<Void>.makeStream()
        let (stalled, stall) = AsyncStream<Void>.makeStream()
        let route = Route(
            .get,
            "/s",
            name: "s",
            handler: .immediate { _ in
                Response(
                    body: .stream { writer in
                        defer { end.yield() }
                        let chunk = [UInt8](repeating: 0x61, count: 10_000)
                        while true {
                            // The writer that waits is found by the one that watches below.
                            let watch = Task {
                                try await Task.sleep(for: .milliseconds(300))
                                stall.yield()
                            }
                            defer { watch.cancel() }
                            try await writer.write(chunk)
                            written.withLock { $0 += chunk.count }
                        }
                    }
                )
            }
        )
        try await serving([route]) { port in
            let client = try await blocking {
                let client = SendableClient(try Client(port, receiveBuffer: 4096))
                try client.value.send("GET /s HTTP/1.1\r\nHost: x\r\n\r\n")
                return client
            }
            for await _ in stalled { break }
            // The kernel's send buffer grows to 4 MB (net.ipv4.tcp_wmem), ours holds 64 kB.
            #expect(written.withLock { $0 } < 8_000_000)
            client.value.disconnect()
            for await _ in ended { break }
        }
    }

    @Test func `cancels a producer that is not writing when its reader goes`() async throws {
        let (written, write) = AsyncStream<Void>.makeStream()
        let (ended, end) = AsyncStream<Void>.makeStream()
        let route = Route(
            .get,
            "/s",
            name: "s",
            handler: .immediate { _ in
                Response(
                    body: .stream { writer in
                        // More than the kernel's buffers hold: the connection is busy sending, not asleep.
                        try await writer.write([UInt8](repeating: 0x61, count: 20_000_000))
                        write.yield()
                        await endOfTask()
                        end.yield()
                    }
                )
            }
        )
        try await serving([route]) { port in
            let client = try await blocking {
                let client = SendableClient(try Client(port, receiveBuffer: 4096))
                try client.value.send("GET /s HTTP/1.1\r\nHost: x\r\n\r\n")
                return client
            }
            for await _ in written { break }
            client.value.disconnect()
            for await _ in ended { break }
        }
    }
}

extension Client {
    /// Reads until what has come ends with `mark`, or the server closes.
    func readUntilEnd(_ mark: String) -> [UInt8] {
        var seen = takeBuffered()
        while !seen.reversed().starts(with: mark.utf8.reversed()) {
            readOnce()
            let piece = takeBuffered()
            guard !piece.isEmpty else { break }
            seen += piece
        }
        return seen
    }
}
