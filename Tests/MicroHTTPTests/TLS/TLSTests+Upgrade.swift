import Coordination
import Foundation
import Lab
import Testing

@testable import MicroHTTP

extension TLSTests {
    /// A client that upgrades; `lines` follow, each indented by eight spaces.
    private static func client(_ lines: String) -> String {
        """
        import socket, ssl, sys, threading
        context = ssl.create_default_context(cafile=sys.argv[2])
        with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as plain:
            with context.wrap_socket(plain, server_hostname="127.0.0.1") as session:
                session.sendall(b"GET /ws HTTP/1.1\\r\\nHost: x\\r\\nConnection: Upgrade\\r\\nUpgrade: echo\\r\\n\\r\\n")
                head = b""
                while not head.endswith(b"\\r\\n\\r\\n"):
                    head += session.recv(1)
                assert head.startswith(b"HTTP/1.1 101 "), head
        \(lines)
        """
    }

    /// Sends its input while it reads, and prints what it has read when the server closes.
    private static let echoClient = client(
        """
                threading.Thread(target=session.sendall, args=[sys.stdin.buffer.read()]).start()
                while piece := session.recv(65536):
                    sys.stdout.buffer.write(piece)
        """
    )

    /// Reads nothing until its input ends.
    private static let silentClient = client("        sys.stdin.read()")

    @Test func `an upgraded connection is read and written through TLS, and its own socket is TCP`() async throws {
        let isTCP = Locked(false)
        let text = (0..<20_000).map { "line \($0)" }.joined(separator: "\n") + "\n"
        let route = upgrading(headers: ["Upgrade": "echo"]) { socket, received in
            var info = [UInt8](repeating: 0, count: 256)
            var length = socklen_t(info.count)
            let status = getsockopt(socket.connection, Int32(IPPROTO_TCP), TCP_INFO, &info, &length)
            isTCP.withLock { $0 = status == 0 }
            var bytes = received + [UInt8](repeating: 0, count: 65_536)
            var count = received.count
            var total = count
            repeat {
                if count > 0 { _ = send(socket.descriptor, bytes, count, Int32(MSG_NOSIGNAL)) }
                count = recv(socket.descriptor, &bytes, bytes.count, 0)
                total += max(count, 0)
            } while count > 0 && total < text.utf8.count
            if count > 0 { _ = send(socket.descriptor, bytes, count, Int32(MSG_NOSIGNAL)) }
        }
        let trust = authority.certificate
        try await secure(try settings(), [route]) { (port) throws in
            let client = ["timeout", "40", "python3", "-c", Self.echoClient, "\(port)", trust]
            let answer = try result(of: client, input: text)
            let isWhole = answer.output == text
            #expect(answer.status == 0 && isWhole, "\(answer.output.utf8.count) bytes of \(text.utf8.count)")
            #expect(isTCP.withLock { $0 })
        }
    }

    @Test func `a stop ends an upgraded connection`() async throws {
        let started = DispatchSemaphore(value: 0)
        let ended = Locked(false)
        let route = upgrading(headers: ["Upgrade": "none"]) { socket, _ in
            started.signal()
            var byte: UInt8 = 0
            while recv(socket.descriptor, &byte, 1, 0) > 0 {}
            ended.withLock { $0 = true }
        }
        let output = Gate<String>()
        let trust = authority.certificate
        try await secure(try settings(), [route]) { (port) throws in
            Thread.detachNewThread {
                let request = "GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: none\r\n\r\n"
                let client = ["openssl", "s_client", "-quiet", "-CAfile", trust, "-connect", "127.0.0.1:\(port)"]
                let answer = try? result(of: ["timeout", "40"] + client, input: request)
                output.open(with: answer?.output ?? "")
            }
            #expect(started.wait(timeout: .now() + 40) == .success)
        }
        #expect(ended.withLock { $0 })
        #expect(await output.wait().hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"))
    }

    @Test func `a stop ends an upgraded connection whose client takes nothing`() async throws {
        let isFull = DispatchSemaphore(value: 0)
        let route = upgrading(headers: ["Upgrade": "echo"]) { socket, _ in
            let piece = [UInt8](repeating: 1, count: 65_536)
            var hasStalled = false
            while true {
                let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
                let count = send(socket.descriptor, piece, piece.count, flags)
                guard count < 0 else { continue }
                guard errno == EAGAIN else { return }
                var room = pollfd(fd: socket.descriptor, events: Int16(POLLOUT), revents: 0)
                if poll(&room, 1, hasStalled ? -1 : 500) > 0 { continue }
                hasStalled = true
                isFull.signal()
            }
        }
        let trust = authority.certificate
        let program = Locked<(program: Program, stopped: ContinuousClock.Instant)?>(nil)
        try await secure(try settings(), [route]) { (port) throws in
            let new = try Program(["python3", "-c", Self.silentClient, "\(port)", trust], input: nil)
            #expect(isFull.wait(timeout: .now() + 40) == .success)
            program.withLock { $0 = (new, .now) }
        }
        let stopped = try #require(program.withLock { $0 })
        // The kernel ends such a connection after 30 s.
        #expect(stopped.stopped.duration(to: .now) < .seconds(20))
        #expect(stopped.program.isRunning)
    }
}
