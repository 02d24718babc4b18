import Coordination
import Glibc
import HTTPTransfer
import Lab
import Testing

/// Transfers that somebody ends.
@Suite(.timeLimit(.minutes(3)))
struct EndingTests {
    /// Waits until the server has `count` connections.
    private func wait(for server: RawServer, toHave count: Int) async {
        while server.open != count { await Task.yield() }
    }

    @Test func `cancelling ends it and closes the connection`() async throws {
        let (requests, request) = AsyncStream<Void>.makeStream()
        let server = try RawServer { connection in
            connection.readHead()
            request.yield()
            connection.readAll()
        }
        defer { server.close() }
        try await withLoop { loop async throws in
            let task = Task { try await failure(of: TransferRequest(url: server.url), on: loop) }
            // A connection alone is not enough: the kernel has it before libcurl knows.
            for await _ in requests { break }
            task.cancel()
            let error = try await task.value
            #expect(error.reason == .cancelled && error.phase == .processing)
            await wait(for: server, toHave: 0)
        }
    }

    @Test func `a cancelled task starts nothing`() async throws {
        let server = try RawServer { $0.readAll() }
        defer { server.close() }
        try await withLoop { loop async throws in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await failure(of: TransferRequest(url: server.url), on: loop)
            }
            #expect(try await task.value.reason == .cancelled)
            #expect(server.accepted == 0)
        }
    }

    @Test func `stopping ends all that runs, and can be repeated`() async throws {
        let server = try RawServer { $0.readAll() }
        defer { server.close() }
        let loop = try TransferLoop(name: "test", userAgent: "tests")
        let tasks = (0..<10).map { _ in Task { try await failure(of: TransferRequest(url: server.url), on: loop) } }
        await wait(for: server, toHave: 10)
        loop.stop()
        loop.stop()
        for task in tasks { #expect(try await task.value.reason == .stopped) }
        #expect(try await failure(of: TransferRequest(url: server.url), on: loop).reason == .stopped)
        await wait(for: server, toHave: 0)
    }

    @Test func `dropping the loop closes what it kept open`() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.send("HTTP/1.1 204 No Content\r\n\r\n")
            connection.readAll()
        }
        defer { server.close() }
        do {
            let loop = try TransferLoop(name: "test", userAgent: "tests")
            _ = try await loop.perform(TransferRequest(url: server.url))
            #expect(server.open == 1)
        }
        await wait(for: server, toHave: 0)
    }

    @Test func `a sink that throws ends it`() async throws {
        struct Enough: Error {}
        let server = try RawServer { connection in
            connection.readHead()
            connection.send("HTTP/1.1 200 OK\r\n\r\n")
            while connection.send([UInt8](repeating: 1, count: 10_000)) {}
        }
        defer { server.close() }
        try await withLoop { loop async throws in
            let request = TransferRequest(url: server.url).with { $0.sink = .stream { _ in throw Enough() } }
            let error = try await failure(of: request, on: loop)
            #expect(error.reason == .aborted && error.message.contains("Enough"))
            await wait(for: server, toHave: 0)
        }
    }

    @Test func `a sink that throws at the very end still fails it`() async throws {
        struct Enough: Error {}
        let server = try RawServer { connection in
            connection.readHead()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1")
        }
        defer { server.close() }
        try await withLoop { loop async throws in
            let request = TransferRequest(url: server.url).with {
                $0.sink = .stream { _ in
                    while server.open != 0 { await Task.yield() }
                    throw Enough()
                }
            }
            #expect(try await failure(of: request, on: loop).reason == .aborted)
        }
    }

    @Test func `a body that throws, or is not as long as said, ends it`() async throws {
        struct Enough: Error {}
        let server = try RawServer { $0.readAll() }
        defer { server.close() }
        try await withLoop { loop async throws in
            let throwing = TransferRequest(url: server.url, method: .put).with {
                $0.body = .stream(length: 10) { _ in throw Enough() }
            }
            let error = try await failure(of: throwing, on: loop)
            #expect(error.reason == .aborted && error.message.contains("Enough"))
            for length in [2, 4] as [Int64] {
                let isAsked = Locked(false)
                let wrong = TransferRequest(url: server.url, method: .post).with {
                    $0.body = .stream(length: length) { _ in
                        isAsked.withLock { isAsked in
                            defer { isAsked = true }
                            return isAsked ? nil : [1, 2, 3]
                        }
                    }
                }
                let error = try await failure(of: wrong, on: loop)
                #expect(error.reason == .aborted && error.message.contains("long"))
            }
        }
    }

    @Test func `an answer that comes before the body was sent ends the asking`() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.send("HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        }
        defer { server.close() }
        try await withLoop { loop async throws in
            let request = TransferRequest(url: server.url, method: .put).with {
                $0.body = .stream(length: nil) { _ in
                    // Never has any bytes; ends with its task.
                    for await _ in AsyncStream<Void>.makeStream().stream {}
                    throw CancellationError()
                }
            }
            let response = try await loop.perform(request)
            #expect(response.status == 413)
        }
    }
}
