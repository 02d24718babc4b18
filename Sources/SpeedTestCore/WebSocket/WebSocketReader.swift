/// Reads frames from bytes as they arrive, in pieces of any size.
///
/// Binary payload is counted and not kept; text and control frames are collected. After an error, or the other side's
/// Close, it takes no more bytes.
package struct WebSocketReader: Sendable {
    /// Which side is read: what a client sends is masked, what a server sends is not.
    package enum Peer: Sendable {
        case client, server
    }

    private let peer: Peer
    private let textLimit: Int
    private let binaryLimit: UInt64
    /// The bytes of an incomplete header.
    private var head: [UInt8] = []
    /// The frame whose payload is being read; nil: a header is next.
    private var frame: WebSocketFrameHeader?
    /// Of that payload.
    private var received: UInt64 = 0
    /// The kind of the message that has begun and not ended.
    private var message: WebSocketOpcode?
    private var messageLength: UInt64 = 0
    private var text: [UInt8] = []
    private var control: [UInt8] = []
    private var isClosed = false

    /// - Parameters:
    ///   - peer: whose bytes these are.
    ///   - textLimit: bytes of a text message.
    ///   - binaryLimit: bytes of a binary one, all its frames together.
    package init(from peer: Peer, textLimit: Int = 65_536, binaryLimit: UInt64 = 1 << 24) {
        self.peer = peer
        self.textLimit = textLimit
        self.binaryLimit = binaryLimit
    }

    /// Reads bytes and reports their events in order; bytes after a Close are ignored.
    package mutating func read(
        _ bytes: RawSpan,
        _ handle: (WebSocketEvent) -> Void
    ) throws(WebSocketError) {
        var offset = 0
        while !isClosed {
            if let frame {
                let count = min(UInt64(bytes.byteCount - offset), frame.payloadLength - received)
                guard count > 0 || frame.payloadLength == received else { return }
                let end = offset + Int(count)
                take(bytes.extracting(offset..<end), of: frame, handle)
                offset = end
                if received == frame.payloadLength {
                    self.frame = nil
                    try finish(frame, handle)
                }
            } else {
                guard offset < bytes.byteCount else { return }
                head.append(bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
                offset += 1
                if let header = try WebSocketFrameHeader(parsing: head.span.bytes) {
                    head.removeAll(keepingCapacity: true)
                    try begin(header)
                }
            }
        }
    }

    private mutating func begin(_ header: WebSocketFrameHeader) throws(WebSocketError) {
        guard (header.mask != nil) == (peer == .client) else {
            throw wrong(peer == .client ? "a client's frame is not masked" : "a server's frame is masked")
        }
        received = 0
        frame = header
        switch header.opcode {
        case .close, .ping, .pong:
            control = []
            return
        case .continuation:
            guard message != nil else { throw wrong("a continuation without a message") }
        case .text, .binary:
            guard message == nil else { throw wrong("a new message inside another") }
            message = header.opcode
            messageLength = 0
        }
        let (length, overflows) = messageLength.addingReportingOverflow(header.payloadLength)
        let limit = message == .text ? UInt64(textLimit) : binaryLimit
        guard !overflows, length <= limit else {
            throw WebSocketError(.messageTooBig, "a message of more than \(limit) bytes")
        }
        messageLength = length
    }

    private mutating func take(
        _ payload: RawSpan,
        of frame: WebSocketFrameHeader,
        _ handle: (WebSocketEvent) -> Void
    ) {
        defer { received += UInt64(payload.byteCount) }
        guard payload.byteCount > 0 else { return }
        if !frame.opcode.isControl, message == .binary {
            handle(.binary(payload.byteCount))
            return
        }
        var bytes = payload.withUnsafeBytes { Array($0) }
        if let mask = frame.mask { WebSocketMask(mask).apply(to: &bytes, at: received) }
        if frame.opcode.isControl { control += bytes } else { text += bytes }
    }

    private mutating func finish(
        _ frame: WebSocketFrameHeader,
        _ handle: (WebSocketEvent) -> Void
    ) throws(WebSocketError) {
        switch frame.opcode {
        case .ping: handle(.ping(control))
        case .pong: handle(.pong(control))
        case .close:
            isClosed = true
            handle(try closing())
        case .continuation, .text, .binary:
            guard frame.isFinal else { return }
            defer {
                message = nil
                text = []
            }
            guard message == .text else {
                handle(.binaryEnd(messageLength))
                return
            }
            handle(.text(try Self.string(text)))
        }
    }

    /// Reads the payload of a Close.
    private func closing() throws(WebSocketError) -> WebSocketEvent {
        guard !control.isEmpty else { return .close(nil, reason: "") }
        guard control.count >= 2 else { throw wrong("a Close with one byte") }
        let code = WebSocketCloseCode(rawValue: UInt16(control[0]) << 8 | UInt16(control[1]))
        guard code.isAllowedOnTheWire else { throw wrong("a Close with the code \(code.rawValue)") }
        return .close(code, reason: try Self.string(Array(control.dropFirst(2))))
    }

    private static func string(_ bytes: [UInt8]) throws(WebSocketError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw WebSocketError(.invalidPayload, "text that is not UTF-8")
        }
        return text
    }

    private func wrong(_ message: String) -> WebSocketError { WebSocketError(.protocolError, message) }
}

/// What a WebSocket has received.
package enum WebSocketEvent: Sendable, Equatable {
    /// Bytes of a binary message, which are not kept.
    case binary(Int)
    /// The end of a binary message of so many bytes.
    case binaryEnd(UInt64)
    /// A whole text message.
    case text(String)
    /// To be answered with a pong of the same payload.
    case ping([UInt8])
    case pong([UInt8])
    /// The last frame of the other side; without a code where it gave none.
    case close(WebSocketCloseCode?, reason: String)
}
