import Coordination
import Glibc
import Lab
import SpeedTestCore
import Statistics
import Testing

/// Our client against servers that do what they should not.
@Suite(.timeLimit(.minutes(3)))
struct NDT7FaultTests {
    /// Answers the upgrade as is right, and leaves the rest to `body`.
    private static func upgraded(_ body: @escaping @Sendable (RawConnection) -> Void) throws -> RawServer {
        try RawServer { connection in
            let head = connection.readHead()
            guard let line = head.split(separator: "\r\n").first(where: { $0.hasPrefix("Sec-WebSocket-Key: ") }) else {
                return
            }
            let accept = WebSocketHandshake.accept(for: String(line.dropFirst(19)))
            connection.send(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Accept: \(accept)\r\nSec-WebSocket-Protocol: \(NDT7.subprotocol)\r\n\r\n"
            )
            body(connection)
        }
    }

    private static func load(_ count: Int) -> [UInt8] {
        WebSocketFrameHeader(.binary, payloadLength: UInt64(count)).encoded + [UInt8](repeating: 7, count: count)
    }

    /// What a measurement fails with, and that it takes no longer than its wall and a bit.
    private static func failure(
        of direction: Direction,
        at server: RawServer,
        timing: NDT7Timing = .quick,
        _ change: (inout SpeedTestOptions) -> Void = { _ in }
    ) async throws -> SpeedTestFailure? {
        let measurement = try NDT7Measurement.make(server.url, timing: timing, change)
        let (start, stolen) = (ContinuousClock.now, StolenTime())
        let failure = await #expect(throws: SpeedTestFailure.self) { try await measurement.measure(direction) }
        #expect(start.duration(to: .now) < .seconds(12), "\(stolen)")
        server.close()
        #expect(server.open == 0)
        return failure
    }

    @Test(arguments: Direction.allCases)
    func `no answer to the upgrade is a time-out`(direction: Direction) async throws {
        let server = try RawServer { $0.readAll() }
        var timing = NDT7Timing.quick
        timing.handshake = .milliseconds(300)
        let failure = try await Self.failure(of: direction, at: server, timing: timing)
        #expect(failure?.reason == .timeout)
        #expect(failure?.message.contains("127.0.0.1:\(server.port)") == true)
    }

    @Test func `the time limit applies to the handshake too`() async throws {
        let server = try RawServer { $0.readAll() }
        let failure = try await Self.failure(of: .download, at: server) { $0.directionWall = .milliseconds(300) }
        #expect(failure?.reason == .timeout)
    }

    @Test(
        arguments: [
            ("HTTP/1.1 404 Not Found\r\n\r\n", .status, nil), ("HTTP/1.1 403 Forbidden\r\n\r\n", .auth, nil),
            ("HTTP/1.1 503 Busy\r\nRetry-After: 90\r\n\r\n", .status, .seconds(90)),
            ("HTTP/1.1 429 Slow\r\nRetry-After: 1\r\n\r\n", .status, .seconds(60)),
            ("HTTP/1.1 429 Slow\r\nRetry-After: 99999999999999\r\n\r\n", .status, .seconds(86_400)),
            (
                "HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: AAAA\r\n\r\n",
                .status, nil
            ),
            ("SSH-2.0-OpenSSH\r\n\r\n", .status, nil), ("", .reset, nil), ("HTTP/1.1 101", .reset, nil),
            (String(repeating: "x", count: 20_000), .reset, nil),
        ] as [(String, SpeedTestFailure.Reason, Duration?)]
    )
    func `an invalid answer ends it at once`(
        answer: String,
        reason: SpeedTestFailure.Reason,
        retryAfter: Duration?
    ) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.send(answer)
        }
        let failure = try await Self.failure(of: .download, at: server)
        #expect(failure?.reason == reason)
        #expect(failure?.retryAfter == retryAfter)
    }

    @Test(
        arguments: ["413 Content Too Large", "415 Unsupported Media Type", "200 OK\r\nContent-Type: text/html"],
        Direction.allCases
    )
    func `an answer of plain HTTP is no number`(answer: String, direction: Direction) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.send("HTTP/1.1 \(answer)\r\n\r\n<html>\(String(repeating: "x", count: 100_000))")
        }
        let failure = try await Self.failure(of: direction, at: server) { $0.byteLimit = [direction: 50_000] }
        #expect(failure?.reason == .status)
    }

    @Test(arguments: [true, false], Direction.allCases)
    func `a connection that is cut after 1 MB is no number`(resets: Bool, direction: Direction) async throws {
        let server = try Self.upgraded { connection in
            if direction == .download {
                for _ in 0..<10 { connection.send(Self.load(100_000)) }
            } else {
                connection.read(1_000_000)
            }
            if resets { connection.reset() }
        }
        let failure = try await Self.failure(of: direction, at: server, timing: .patient) {
            $0.byteLimit = [direction: 10_000_000]
            $0.window = .seconds(5) ... .seconds(8)
        }
        #expect(failure?.reason == .reset || !resets && failure?.reason == .short, "\(String(describing: failure))")
    }

    @Test(arguments: Direction.allCases)
    func `a server that stalls midway is a time-out`(direction: Direction) async throws {
        let server = try Self.upgraded { connection in
            // Long enough to be in the window.
            if direction == .download { for _ in 0..<4 { connection.send(Self.load(100_000)) } }
            connection.waitForHangUp()
        }
        var timing = NDT7Timing.quick
        timing.silence = .milliseconds(400)
        // The kernel accepts some bytes of an upload that is not read.
        let failure = try await Self.failure(of: direction, at: server, timing: timing) {
            $0.window = .seconds(5) ... .seconds(8)
        }
        #expect(failure?.reason == .timeout)
    }

    @Test(arguments: [true, false])
    func `a reset or an end before the window is long enough is a failure`(resets: Bool) async throws {
        let server = try Self.upgraded { connection in
            connection.send(Self.load(100_000))
            if resets { connection.reset() }
        }
        let failure = try await Self.failure(of: .download, at: server, timing: .patient) {
            $0.window = .seconds(5) ... .seconds(8)
        }
        #expect(failure?.reason == (resets ? .reset : .short))
    }

    @Test(
        arguments: [
            ("a masked frame", [0x82, 0x80, 0, 0, 0, 0]), ("a reserved bit", [0xc2, 0x00]),
            ("a frame of 32 MiB", [0x82, 127, 0, 0, 0, 0, 2, 0, 0, 0]),
            ("a frame as long as can be", [0x82, 127, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
            ("a text of 1 MiB", [0x81, 127, 0, 0, 0, 0, 0, 0x10, 0, 0]),
        ] as [(String, [UInt8])]
    )
    func `invalid frames end it with a Close that has the reason`(name: String, frame: [UInt8]) async throws {
        let answer = Locked<[UInt8]>([])
        let server = try Self.upgraded { connection in
            connection.send(frame)
            let bytes = connection.readToEnd()
            answer.withLock { $0 = bytes }
        }
        let failure = try await Self.failure(of: .download, at: server)
        #expect(failure?.reason == .reset)
        var reader = WebSocketReader(from: .client)
        var codes: [WebSocketCloseCode?] = []
        let sent = answer.withLock { $0 }
        try reader.read(sent.span.bytes) { if case .close(let code, _) = $0 { codes.append(code) } }
        #expect(codes == [frame.count > 8 ? .messageTooBig : .protocolError])
    }

    @Test func `load during an upload is refused`() async throws {
        let server = try Self.upgraded { connection in
            connection.send(Self.load(10))
            connection.readAll()
        }
        let failure = try await Self.failure(of: .upload, at: server)
        #expect(failure?.reason == .reset)
        #expect(failure?.message.contains("wrong direction") == true)
    }

    @Test func `other texts and pings are ignored`() async throws {
        let pongs = Locked(0)
        let server = try Self.upgraded { connection in
            connection.send(
                [0x01, 0x02, 0x7b, 0x22] + WebSocketFrame.ping([1, 2, 3], mask: nil) + [0x80, 0x01, 0x7b]
            )
            connection.send(WebSocketFrame.text("garbage", mask: nil))
            connection.send(WebSocketFrame.text(#"{"TCPInfo":{"RTT":9223372036854775807}}"#, mask: nil))
            let start = ContinuousClock.now
            let piece = Self.load(16_384)
            // Several times what the client needs: it may begin late.
            while start.duration(to: .now) < .seconds(3), connection.send(piece) {}
            connection.send(WebSocketFrame.close(.normal, mask: nil))
            let bytes = connection.readToEnd()
            var reader = WebSocketReader(from: .client)
            try? reader.read(bytes.span.bytes) { event in
                if event == .pong([1, 2, 3]) { pongs.withLock { $0 += 1 } }
            }
        }
        let measurement = try NDT7Measurement.make(server.url) { $0.window = .milliseconds(200) ... .seconds(9) }
        let report = try await measurement.measure(.download)
        server.close()
        #expect(report.bytes > 0)
        #expect(report.loadedLatency == nil)
        #expect(pongs.withLock { $0 } == 1)
    }

    @Test func `a refusal by a locate service has a Retry-After`() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.send("HTTP/1.1 204 No Content\r\n\r\n")
        }
        let measurement = try NDT7Measurement.make("\(server.url)v2/nearest/ndt/ndt7", acceptsDataPolicy: true)
        let failure = await #expect(throws: SpeedTestFailure.self) { try await measurement.prepare() }
        server.close()
        #expect(failure?.reason == .status)
        #expect(failure?.retryAfter == .seconds(60))
    }

    @Test func `of located servers the first that answers is measured, and stays`() async throws {
        let good = try NDT7TestServer()
        let closed = try Loopback.closedPort()
        let port = try #require(good.url.split(separator: ":").last?.prefix { $0.isNumber })
        let results = [String(closed), String(port)].map { port in
            #"{"urls":{"ws:///ndt/v7/download":"ws://127.0.0.1:\#(port)/ndt/v7/download?access_token=t","#
                + #""ws:///ndt/v7/upload":"ws://127.0.0.1:\#(port)/ndt/v7/upload?access_token=t"}}"#
        }
        let json = #"{"results":[\#(results.joined(separator: ","))]}"#
        let locate = try RawServer { connection in
            connection.readHead()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(json.utf8.count)\r\n\r\n\(json)")
        }
        let account = TrafficAccount()
        let url = "\(locate.url)v2/nearest/ndt/ndt7"
        let measurement = try NDT7Measurement.make(url, account: account, acceptsDataPolicy: true)
        try await measurement.prepare()
        #expect(account.bytes.received > UInt64(json.utf8.count))
        _ = try await measurement.idleLatency { _ in }
        #expect(measurement.host == "127.0.0.1:\(port)")
        _ = try await measurement.measure(.download)
        var server = SpeedTestServer(name: "located", dialect: .ndt7, url: url)
        server.acceptsDataPolicy = true
        var options = SpeedTestOptions()
        (options.idleSamples, options.directions) = (3, [])
        let report = await SpeedTestEngine(server: server, options: options, userAgent: "tests/1").run { _ in }
        #expect(report.host == "127.0.0.1:\(port)" && report.failure == nil)
        good.close()
        locate.close()
        #expect(good.state.targets.first?.hasPrefix("/ndt/v7/download?access_token=t&client_name=test&") == true)
    }
}

extension NDT7FaultTests {
    /// Its window is compared with the time that the server sent for.
    struct TimingTests {
        @Test func `a reset after a long enough window is not a failure`() async throws {
            let stolen = StolenTime()
            let lasted = Locked(Duration.zero)
            let server = try NDT7FaultTests.upgraded { connection in
                let start = ContinuousClock.now
                let piece = NDT7FaultTests.load(16_384)
                while start.duration(to: .now) < .seconds(2), connection.send(piece) {}
                connection.reset()
                lasted.withLock { $0 = start.duration(to: .now) }
            }
            let measurement = try NDT7Measurement.make(server.url) { $0.window = .milliseconds(200) ... .seconds(9) }
            let report = try await measurement.measure(.download)
            server.close()
            #expect(report.bytes > 0)
            // The time that it was sent for, by the server's clock.
            let limit = lasted.withLock { $0 } + .milliseconds(500)
            #expect(report.window < limit, "\(report.window); \(stolen)")
        }
    }
}

extension RawConnection {
    /// Waits for the other side to go, without taking what it sends.
    fileprivate func waitForHangUp() {
        // POLLRDHUP.
        var polled = pollfd(fd: socket, events: 0x2000, revents: 0)
        _ = poll(&polled, 1, 10_000)
    }

    /// Reads what comes until the other side has closed.
    fileprivate func readToEnd() -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }
}
