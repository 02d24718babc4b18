import HTTPTransfer
import Posix

/// An ndt7 client's open WebSocket, for the thread that opened it.
struct NDT7Connection: ~Copyable {
    let bytes: ByteConnection
    /// Bytes that arrived after the handshake.
    let rest: [UInt8]

    /// Connects and does the handshake within the request's timeout; blocks, at the longest until `signal` is stopped.
    init(
        _ request: ByteConnectionRequest,
        for address: WebURL,
        userAgent: String,
        until signal: LoopSignal,
        account: TrafficAccount
    ) throws(SpeedTestFailure) {
        let deadline = ContinuousClock.now + request.timeout
        let bytes: ByteConnection
        do throws(TransferError) {
            bytes = try ByteConnection(request, until: signal)
        } catch {
            throw SpeedTestFailure(connection: error)
        }
        let handshake = NDT7Handshake(address: address, userAgent: userAgent, deadline: deadline, signal: signal)
        do throws(SpeedTestFailure) {
            rest = try handshake.run(on: bytes)
        } catch {
            var traffic = NDT7Traffic(account)
            traffic.end(bytes.socket, rest: 0)
            throw error
        }
        self.bytes = bytes
    }
}

/// A client's handshake of the WebSocket on an open connection.
struct NDT7Handshake {
    let address: WebURL
    let userAgent: String
    let deadline: ContinuousClock.Instant
    let signal: LoopSignal

    private var host: String { address.authority }

    /// Sends the request and reads the answer.
    ///
    /// - Returns: the bytes after its head.
    /// - Throws: the server's refusal, or a time-out.
    func run(on connection: borrowing ByteConnection) throws(SpeedTestFailure) -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        let key = WebSocketHandshake.key(using: &random)
        let request = WebSocketHandshake.request(
            target: address.target,
            host: host,
            key: key,
            subprotocol: NDT7.subprotocol,
            userAgent: userAgent
        )
        var (head, rest) = ("", [UInt8]())
        do throws(TransferError) {
            try send(Array(request.utf8), on: connection)
            (head, rest) = try receiveHead(on: connection)
        } catch {
            throw SpeedTestFailure(connection: error)
        }
        try check(head, rest, key: key)
        return rest
    }

    private func check(_ head: String, _ rest: [UInt8], key: String) throws(SpeedTestFailure) {
        let answer: WebSocketAnswer
        do throws(WebSocketError) {
            answer = try WebSocketAnswer(parsing: head)
            if answer.status == 101 { try answer.check(key: key, subprotocol: NDT7.subprotocol) }
        } catch {
            throw SpeedTestFailure(.status, "\(host): \(error.message)")
        }
        guard answer.status == 101 else {
            var response = SpeedTestResponse(status: answer.status, body: rest)
            for (name, value) in answer.headers.reversed() { response.headers[name.lowercased()] = value }
            throw SpeedTestFailure(ndt7: response, host: host)
        }
    }

    private func send(_ request: [UInt8], on connection: borrowing ByteConnection) throws(TransferError) {
        var sent = 0
        while sent < request.count {
            let count = try connection.send(request.span.bytes.extracting(sent..<request.count))
            sent += count
            if count == 0 { try wait(on: connection, forRoom: true) }
        }
    }

    /// Reads up to the blank line; `rest` follows it.
    private func receiveHead(
        on connection: borrowing ByteConnection
    ) throws(TransferError) -> (head: String, rest: [UInt8]) {
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while received.count < WebSocketHandshake.maximumHead {
            switch try connection.receive(into: &buffer) {
            case .nothing: try wait(on: connection, forRoom: false)
            case .end: throw failure(.protocolViolation, "closed the connection instead of answering")
            case .bytes(let count):
                let start = max(0, received.count - 3)
                received += buffer[..<count]
                guard let end = received[start...].firstRange(of: [13, 10, 13, 10]) else { continue }
                let head = String(decoding: received[..<end.lowerBound], as: UTF8.self)
                return (head, Array(received[end.upperBound...]))
            }
        }
        throw failure(.protocolViolation, "answered with a head of more than \(received.count) bytes")
    }

    private func wait(on connection: borrowing ByteConnection, forRoom: Bool) throws(TransferError) {
        let remaining = ContinuousClock.now.duration(to: deadline)
        guard remaining > .zero else { throw failure(.timeout, "did not answer in time") }
        connection.wait(forRoom: forRoom, upTo: remaining, or: signal)
        guard !signal.isStopped else { throw failure(.cancelled, "the test was stopped") }
    }

    private func failure(_ reason: TransferError.Reason, _ message: String) -> TransferError {
        TransferError(reason, phase: .processing, message: "\(host): \(message)")
    }
}

/// The name of the client, for the server's log: the query that ndt7 requires.
struct NDT7ClientName: Sendable {
    let query: String

    /// - Parameter userAgent: begins with `name/version`.
    init(userAgent: String) {
        let product = userAgent.split(separator: " ").first ?? "unknown"
        let parts = product.split(separator: "/", maxSplits: 1)
        let name = Self.safe(parts.first ?? "unknown")
        let version = Self.safe(parts.count > 1 ? parts[1] : "0")
        query = [
            "client_name=\(name)", "client_version=\(version)", "client_library_name=SpeedTestCore",
            "client_library_version=\(version)", "client_os=linux", "client_arch=\(Self.architecture)",
        ].joined(separator: "&")
    }

    /// The characters that need no encoding in a query.
    private static func safe(_ text: Substring) -> String {
        let kept = text.utf8.filter { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        return String(decoding: kept.prefix(64), as: UTF8.self)
    }

    private static var architecture: String {
        #if arch(x86_64)
            "x86_64"
        #elseif arch(arm64)
            "arm64"
        #else
            "unknown"
        #endif
    }
}
