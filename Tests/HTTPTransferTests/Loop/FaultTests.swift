import Glibc
import HTTPTransfer
import Lab
import Posix
import Testing

/// Servers that answer badly, late or not at all.
@Suite(.timeLimit(.minutes(3)))
struct FaultTests {
    private func failure(
        timeout: Duration = .seconds(20),
        server handle: @escaping @Sendable (RawConnection) -> Void
    ) async throws -> TransferError {
        let server = try RawServer(handle)
        defer { server.close() }
        return try await withLoop { loop async throws in
            try await HTTPTransferTests.failure(
                of: TransferRequest(url: server.url).with { $0.timeout = timeout },
                on: loop
            )
        }
    }

    @Test func `a server that never answers ends in processing`() async throws {
        let start = ContinuousClock.now
        let error = try await failure(timeout: .seconds(2)) { $0.readAll() }
        #expect(start.duration(to: .now) >= .seconds(2))
        #expect(error.reason == .timeout && error.phase == .processing)
        #expect(error.statistics.phases.sum == error.statistics.duration)
        #expect(error.statistics.remoteAddress == IPAddress("127.0.0.1"))
    }

    @Test func `half a body is no answer`() async throws {
        let error = try await failure { connection in
            connection.readHead()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
        }
        #expect(error.reason == .protocolViolation && error.phase == .transfer)
        #expect(error.statistics.receivedBytes >= 4)
    }

    @Test func `a reset midway is no answer`() async throws {
        let error = try await failure { connection in
            connection.readHead()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
            connection.reset()
        }
        #expect(error.reason == .protocolViolation && error.phase == .transfer)
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/9.9 200 OK\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n", "",
        "HTTP/1.1 200 OK\r\n continued: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nno colon\r\n\r\n",
    ])
    func `what is no HTTP is told as such`(_ answer: String) async throws {
        let error = try await failure { connection in
            connection.readHead()
            connection.send(answer)
        }
        #expect(error.reason == .protocolViolation)
    }

    @Test(arguments: [true, false])
    func `a header line that is too long is the fault of the server, and no limit of this machine`(
        _ isAfterStatus: Bool
    ) async throws {
        let error = try await failure { connection in
            connection.readHead()
            connection.send("HTTP/1.1 204 No Content\r\n" + (isAfterStatus ? "Server: lab\r\n" : "") + "X-Long: ")
            connection.send(String(repeating: "x", count: 300_000))
            connection.send("\r\n\r\n")
        }
        #expect(error.reason == .protocolViolation, "\(error)")
        #expect(error.message.contains("header line"), "\(error)")
    }

    @Test func `a byte a second does not outlive the deadline`() async throws {
        let error = try await failure(timeout: .seconds(3)) { connection in
            connection.readHead()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
            while connection.send("x") { usleep(50_000) }  // the pace of the server
        }
        #expect(error.reason == .timeout && error.phase == .transfer)
    }

    @Test func `a closed port is refused`() async throws {
        let port = try Loopback.closedPort()
        try await withLoop { loop async throws in
            let error = try await HTTPTransferTests.failure(
                of: TransferRequest(url: "http://127.0.0.1:\(port)/"),
                on: loop
            )
            #expect(error.reason == .refused && error.phase == .connect)
            #expect(error.message.contains("127.0.0.1:\(port)"))
            #expect(error.statistics.remoteAddress == nil)
        }
    }

    @Test func `a server that closes without a word`() async throws {
        let error = try await failure { _ in }
        #expect(error.reason == .protocolViolation && error.phase == .processing)
    }
}
