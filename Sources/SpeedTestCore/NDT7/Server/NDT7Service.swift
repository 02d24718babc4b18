import FoundationEssentials
import Glibc
import Posix

/// One test of a client against this server, after the handshake.
///
/// Not Sendable: it stays on the thread that created it, which its `run` blocks.
final class NDT7Service {
    /// What is read and written.
    private let socket: Int32
    /// The TCP connection, for its statistics.
    private let tcp: Int32
    private let direction: Direction
    private let limits: NDT7Limits
    private let onBytes: (Direction, Int) -> Bool
    private let start = ContinuousClock.now
    private let connection: NDT7Message.Connection

    private var reader = WebSocketReader(from: .client, binaryLimit: NDT7.maximumMessage)
    private var buffer = [UInt8](repeating: 0, count: 262_144)
    private var output: NDT7Output
    private var random = SystemRandomNumberGenerator()
    private var times = NDT7MeasurementTimes()
    /// Of load, as payload of the WebSocket.
    private var received: UInt64 = 0
    /// When load last moved.
    private var lastMoved = Duration.zero
    /// When the load ended; only the Close follows.
    private var ended: Duration?
    /// Whether the client's frames are still parsed.
    private var listens = true
    /// `onBytes` has ended the test.
    private var isStopped = false
    /// The client has sent its Close.
    private var isAnswered = false
    /// The client has closed the connection.
    private var isOver = false

    init(
        socket: Int32,
        connection tcp: Int32,
        direction: Direction,
        limits: NDT7Limits,
        onBytes: @escaping (Direction, Int) -> Bool
    ) {
        (self.socket, self.tcp) = (socket, tcp)
        self.direction = direction
        self.limits = limits
        self.onBytes = onBytes
        if let name = limits.congestionControl { _ = SocketOptions.setCongestionControl(tcp, name) }
        SocketOptions.setUnsentLimit(tcp, NDT7.unsentLimit)
        output = NDT7Output(loads: direction == .download, masks: false, limit: limits.bytes)
        let peers = NDT7Peers(of: tcp)
        connection = NDT7Message.Connection(
            client: peers.client,
            server: peers.server,
            uuid: UUID().uuidString,
            startTime: Date.now.formatted(.iso8601),
            congestionControl: SocketOptions.congestionControl(of: tcp)
        )
    }

    private var elapsed: Duration { start.duration(to: .now) }

    func run(_ rest: [UInt8]) {
        take(rest.span.bytes)
        while !isOver {
            let now = elapsed
            if let ended {
                guard now < ended + limits.grace, !(isAnswered && output.isClosed) else { return }
            } else if now >= limits.duration {
                end(.normal, "Done sending")
            } else if isStopped {
                end(.goingAway, "the server's limits end the test")
            } else if now - lastMoved >= limits.silence {
                end(.goingAway, "no byte has moved")
            } else if now >= times.next {
                measure(at: now)
            }
            let hasReceived = receive()
            let hasSent = send()
            if !hasReceived, !hasSent, !isOver { wait(now) }
        }
    }

    /// Sends a Close after the present frame; the first reason counts.
    private func end(_ code: WebSocketCloseCode, _ reason: String) {
        ended = ended ?? elapsed
        output.close(code, reason)
    }

    private func measure(at time: Duration) {
        times.advance(from: time, using: &random)
        var message = NDT7Message()
        message.origin = "server"
        message.test = direction.rawValue
        message.connection = connection
        let count = direction == .download ? output.loadSent : received
        message.application = NDT7Message.Application(
            elapsedTime: time.wholeMicroseconds,
            byteCount: Int64(clamping: count)
        )
        message.tcp = TCPStatistics(of: tcp).map { NDT7Message.TCP($0, elapsed: time) }
        output.text(message.json)
    }

    private func wait(_ now: Duration) {
        let end = ended.map { $0 + limits.grace } ?? min(times.next, limits.duration, lastMoved + limits.silence)
        let events = output.wantsRoom ? POLLIN | POLLOUT : POLLIN
        var descriptors = [pollfd(fd: socket, events: Int16(events), revents: 0)]
        Poll.wait(for: &descriptors, upTo: max(.zero, end - now))
    }
}

// MARK: Bytes

extension NDT7Service {
    /// Reads what has arrived, in at most 16 turns; returns whether there was something.
    private func receive() -> Bool {
        for turn in 0..<16 {
            guard !isOver else { return true }
            let count = recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return turn > 0 }
            guard count > 0 else {
                isOver = true
                return true
            }
            account(.upload, count)
            if listens { take(buffer.span.bytes.extracting(0..<count)) }
        }
        return true
    }

    private func take(_ bytes: RawSpan) {
        let before = received
        var events: [WebSocketEvent] = []
        do throws(WebSocketError) {
            try reader.read(bytes) { event in
                if case .binary(let count) = event { received += UInt64(count) } else { events.append(event) }
            }
        } catch {
            refuse(error)
        }
        for event in events {
            switch event {
            case .ping(let payload): output.pong(payload)
            case .close:
                isAnswered = true
                end(.normal, "")
            // The client's own measurements are not used.
            case .text, .binary, .binaryEnd, .pong: break
            }
        }
        guard received > before else { return }
        if direction == .upload {
            lastMoved = elapsed
        } else {
            refuse(WebSocketError(.unsupportedData, "load in the wrong direction"))
        }
    }

    /// From then on bytes are read and ignored.
    private func refuse(_ error: WebSocketError) {
        listens = false
        end(error.code, error.message)
    }

    private func send() -> Bool {
        let before = output.loadSent
        do throws(SystemError) {
            let hasSent = try output.send { piece throws(SystemError) in try write(piece) }
            if output.loadSent > before { lastMoved = elapsed }
            if direction == .download, output.isUsedUp { end(.normal, "Done sending") }
            return hasSent
        } catch {
            isOver = true
            return true
        }
    }

    private func write(_ bytes: RawSpan) throws(SystemError) -> Int {
        guard !isStopped || ended != nil else { return 0 }
        let count = bytes.withUnsafeBytes { bytes in
            Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        if count > 0 { account(.download, count) }
        if count >= 0 { return count }
        guard errno == EAGAIN || errno == EINTR else { throw SystemError(call: "send", code: errno) }
        return 0
    }

    private func account(_ direction: Direction, _ count: Int) {
        // The test does not end here: `send` is in the middle of the output.
        if !onBytes(direction, count) { isStopped = true }
    }
}

/// The two ends of a TCP connection, as `address:port`.
struct NDT7Peers {
    let client: String
    let server: String

    /// - Parameter socket: the server's; the ends are empty for a socket other than IP.
    init(of socket: Int32) {
        client = (try? SocketAddress.peer(of: socket))?.description ?? ""
        server = (try? SocketAddress.bound(to: socket))?.description ?? ""
    }
}

/// When the next measurement is due: at random, so that periodic effects of the path are not missed.
struct NDT7MeasurementTimes {
    /// Since the handshake; the first is due at once.
    private(set) var next = Duration.zero

    /// Draws from an exponential distribution with a mean of 250 ms, clamped to 25…625 ms.
    mutating func advance(from time: Duration, using random: inout some RandomNumberGenerator) {
        let drawn = -0.25 * log(1 - Double.random(in: 0..<1, using: &random))
        next = time + .seconds(min(max(drawn, 0.025), 0.625))
    }
}
