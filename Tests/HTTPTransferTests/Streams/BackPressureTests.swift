import Coordination
import Glibc
import HTTPTransfer
import Lab
import Testing

/// Streams whose other side is slow.
@Suite(.timeLimit(.minutes(3)))
struct BackPressureTests {
    /// A number that a server's thread watches until it stands still.
    private final class Counter: Sendable {
        private let value = Locked(0)

        func add(_ amount: Int) { value.withLock { $0 += amount } }
        var current: Int { value.withLock { $0 } }

        /// Blocks until it is above 0 and has not changed for 300 ms.
        func waitUntilStill() {
            var last = -1
            while last != current || last == 0 {
                last = current
                usleep(300_000)
            }
        }
    }

    @Test func `a sink that takes nothing holds up the sender, and gets it all later`() async throws {
        let size = 50_000_000
        let (stuck, stuckSender) = AsyncStream<Int>.makeStream()
        let server = try RawServer { connection in
            connection.readHead()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
            let piece = [UInt8](repeating: 1, count: 50_000)
            for index in 0..<size / piece.count {
                if !connection.canSend(within: 300) { stuckSender.yield(index * piece.count) }
                guard connection.send(piece) else { return }
            }
        }
        defer { server.close() }
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let received = Counter()
        try await withLoop { loop async throws in
            let request = TransferRequest(url: server.url).with {
                $0.sink = .stream { bytes in
                    if received.current == 0 { for await _ in gate { break } }
                    received.add(bytes.count)
                }
            }
            async let response = loop.perform(request)
            // What the sockets' buffers hold was sent.
            for await sent in stuck {
                #expect(sent < size / 2 && received.current == 0)
                break
            }
            // The loop has time for others.
            let port = try Loopback.closedPort()
            let other = try await failure(of: TransferRequest(url: "http://127.0.0.1:\(port)/"), on: loop)
            #expect(other.reason == .refused)
            opening.yield()
            let statistics = try await response.statistics
            #expect(received.current == size && statistics.receivedBytes >= UInt64(size))
        }
    }

    @Test func `a body is asked for only as the socket drains`() async throws {
        let size = 50_000_000
        let asked = Counter()
        let (stuck, stuckSender) = AsyncStream<Int>.makeStream()
        let server = try RawServer(receiveBuffer: 65_536) { connection in
            connection.readHead()
            asked.waitUntilStill()
            stuckSender.yield(asked.current)
            connection.read(size)
            connection.send("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
        }
        defer { server.close() }
        try await withLoop { loop async throws in
            let request = TransferRequest(url: server.url, method: .put).with {
                $0.body = .stream(length: Int64(size)) { limit in
                    let count = min(limit, size - asked.current)
                    asked.add(count)
                    return count > 0 ? [UInt8](repeating: 1, count: count) : nil
                }
            }
            async let response = loop.perform(request)
            for await amount in stuck {
                #expect(amount < size / 2)
                break
            }
            #expect(try await response.status == 201)
            #expect(asked.current == size)
        }
    }
}
