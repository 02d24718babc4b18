import Glibc
import HTTPTransfer
import Lab
import Posix
import Testing

/// A loop whose thread gets no processor for a while.
@Suite(.timeLimit(.minutes(3)))
struct LateLoopTests {
    @Test func `an answer that came in time is one, also where the loop has no processor until the time is over`()
        async throws
    {
        let timeout = Duration.seconds(5)
        let (isHeld, isSent) = (try LoopSignal(), try LoopSignal())
        let (heads, head) = AsyncStream<Void>.makeStream()
        let server = try RawServer { connection in
            connection.readHead()
            head.yield()
            isHeld.wait()
            connection.send("HTTP/1.1 204 No Content\r\n\r\n")
            isSent.stop()
            connection.readAll()
        }
        defer { server.close() }
        defer { isHeld.stop() }
        try await withLoop { loop async throws in
            let answer = Task { try await loop.perform(TransferRequest(url: server.url).with { $0.timeout = timeout }) }
            for await _ in heads { break }
            // Its request was sent by now.
            let end = ContinuousClock.now + timeout
            try await hold(loop) {
                isHeld.stop()
                isSent.wait()
                while end >= .now { usleep(1000) }
            }
            #expect(try await answer.value.status == 204)
        }
    }

    @Test func `a time-out that the loop notices more than two seconds after the deadline says so`() async throws {
        let timeout = Duration.seconds(5)
        let (heads, head) = AsyncStream<Void>.makeStream()
        let server = try RawServer { connection in
            connection.readHead()
            head.yield()
            connection.readAll()
        }
        defer { server.close() }
        try await withLoop { loop async throws in
            let request = TransferRequest(url: server.url).with { $0.timeout = timeout }
            let late = Task { try await failure(of: request, on: loop) }
            for await _ in heads { break }
            let end = ContinuousClock.now + timeout + .milliseconds(2001)
            try await hold(loop) { while end >= .now { usleep(1000) } }
            let error = try await late.value
            #expect(error.reason == .timeout)
            #expect(error.statistics.isLate)
        }
    }

    /// Keeps the loop's thread until `work` has ended.
    private func hold(_ loop: TransferLoop, for work: @escaping @Sendable () -> Void) async throws {
        let holder = try RawServer { connection in
            connection.readHead()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1")
            connection.readAll()
        }
        defer { holder.close() }
        let holding = TransferRequest(url: holder.url).with {
            $0.meter = TransferMeter(onReceive: { _, _ in
                work()
                return true
            })
        }
        _ = try await loop.perform(holding)
    }
}
