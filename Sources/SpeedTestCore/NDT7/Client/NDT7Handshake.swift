import HTTPTransfer
import Posix

/// A client's opening of the WebSocket, on a connection that stands.
struct NDT7Handshake {
    let opening: NDT7Opening
    let deadline: ContinuousClock.Instant
    let signal: LoopSignal

    private var host: String { opening.address.authority }

    /// Asks, and reads the answer.
    ///
    /// - Returns: what came after its head.
    /// - Throws: what the server said instead, or that it said nothing in time.
    func run(on connection: borrowing ByteConnection) throws(SpeedTestFailure) -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        let key = WebSocketHandshake.key(using: &random)
        let request = WebSocketHandshake.request(
            target: opening.address.target,
            host: host,
            key: key,
            subprotocol: NDT7.subprotocol,
            userAgent: opening.userAgent
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

    /// Reads up to the blank line, and returns what follows it apart.
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
