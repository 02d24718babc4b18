import Coordination
import Glibc
import HTTPTransfer
import Lab
import Posix
import Testing

@Suite(.timeLimit(.minutes(3)))
struct MeterTests {
    @Test func `a meter ends a body whose rest is not wanted, and knows its head`() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n")
            while connection.send([UInt8](repeating: 1, count: 65_536)) {}
        }
        defer { server.close() }
        try await withLoop { loop async throws in
            let meter = TransferMeter(onReceive: { meter, _ in meter.received <= 3_000_000 })
            let response = try await loop.perform(TransferRequest(url: server.url).with { $0.meter = meter })
            #expect(response.isTruncated && meter.status == 200)
            #expect(meter.received > 3_000_000 && meter.received < 3_000_000 + 524_288)
            #expect(try #require(meter.counters).received >= meter.received)
        }
    }

    @Test func `a head whose lines end with a line feed alone is known, too`() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.send("HTTP/1.1 404 Not Found\nContent-Length: 4\n\nnone")
        }
        defer { server.close() }
        try await withLoop { loop async throws in
            let meter = TransferMeter()
            _ = try await loop.perform(TransferRequest(url: server.url).with { $0.meter = meter })
            #expect(meter.status == 404)
        }
    }

    @Test func `a repeated body arrives byte by byte as it should, and is acknowledged`() async throws {
        let pattern = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let length = 2_500_500
        let isRight = Locked<Bool?>(nil)
        let server = try RawServer { connection in
            connection.readHead()
            var body: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while body.count < length {
                let count = recv(connection.socket, &buffer, buffer.count, 0)
                guard count > 0 else { break }
                body += buffer.prefix(count)
            }
            isRight.withLock { $0 = body.indices.allSatisfy { body[$0] == pattern[$0 % 1000] } }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            connection.readAll()
        }
        defer { server.close() }
        try await withLoop { loop async throws in
            let meter = TransferMeter()
            var request = TransferRequest(url: server.url, method: .post)
            request.body = .repeating(pattern, length: Int64(length))
            request.meter = meter
            #expect(try await loop.perform(request).status == 200)
            #expect(isRight.withLock { $0 } == true)
            #expect(meter.sent == UInt64(length))
            // The request's head is in it too.
            let acknowledged = try #require(meter.counters).acknowledged
            #expect(acknowledged >= UInt64(length) && acknowledged < UInt64(length) + 1000)
        }
    }

    @Test func `each meter has its own share of a kept connection, the loop has all`() async throws {
        let server = try RawServer { connection in
            while !connection.readHead().isEmpty {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 50000\r\n\r\n")
                connection.send([UInt8](repeating: 1, count: 50_000))
            }
        }
        defer { server.close() }
        try await withLoop { loop async throws in
            let meters = [TransferMeter(), TransferMeter()]
            for meter in meters {
                _ = try await loop.perform(TransferRequest(url: server.url).with { $0.meter = meter })
            }
            #expect(server.accepted == 1)
            for meter in meters {
                let received = try #require(meter.counters).received
                #expect(received > 50_000 && received < 51_000)
            }
            #expect(loop.counters.received == meters.compactMap(\.counters?.received).reduce(0, +))
            // Closed connections stay in the sum.
            #expect(try #require(loop.threadTime?.waited) >= .zero)
            loop.stop()
            #expect(loop.counters.received > 100_000)
            while loop.threadTime != nil { await Task.yield() }
        }
    }

    @Test func `what was not sent is dropped with the connection where that is asked for`() async throws {
        let read = Locked<(Int, Int32)?>(nil)
        let isCancelled = AsyncStream<Void>.makeStream()
        let (isAccepted, accepted) = AsyncStream<Void>.makeStream()
        let server = try RawServer(receiveBuffer: 4096) { connection in
            connection.readHead()
            accepted.yield()
            var polled = pollfd(fd: connection.socket, events: 0, revents: 0)
            // Only its end ends the wait: nothing is read meanwhile.
            poll(&polled, 1, 20_000)
            let count = connection.readAll()
            read.withLock { $0 = (count, Int32(polled.revents)) }
            isCancelled.continuation.yield()
        }
        defer { server.close() }
        var sockets = TransferSockets()
        sockets.resetsOnClose = true
        try await withLoop(sockets: sockets) { loop async throws in
            var request = TransferRequest(url: server.url, method: .post)
            request.body = .repeating([UInt8](repeating: 1, count: 1 << 20), length: 1 << 30)
            let sending = Task { [request] in _ = try await loop.perform(request) }
            for await _ in isAccepted { break }
            sending.cancel()
            await #expect(throws: TransferError.self) { try await sending.value }
        }
        for await _ in isCancelled.stream { break }
        let (_, events) = try #require(read.withLock { $0 })
        #expect(events & Int32(POLLERR) != 0, "a reset, not an end")
    }
}
