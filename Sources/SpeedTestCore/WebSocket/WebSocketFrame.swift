/// The first 2 to 14 bytes of a WebSocket frame (RFC 6455 section 5.2).
package struct WebSocketFrameHeader: Sendable, Equatable {
    /// Bytes of the longest one.
    package static let maximumByteCount = 14
    /// Bytes of payload that a control frame may have.
    package static let maximumControlPayload = 125

    /// The message ends with this frame.
    package var isFinal: Bool
    package var opcode: WebSocketOpcode
    /// What the payload is XORed with, the first byte in the highest bits; nil: it is not masked.
    package var mask: UInt32?
    /// Bytes that follow, less than 2^63.
    package var payloadLength: UInt64

    package init(_ opcode: WebSocketOpcode, payloadLength: UInt64, mask: UInt32? = nil, isFinal: Bool = true) {
        self.opcode = opcode
        self.payloadLength = payloadLength
        self.mask = mask
        self.isFinal = isFinal
    }

    /// The bytes of the encoded header.
    package var byteCount: Int {
        let lengthBytes = payloadLength < 126 ? 0 : payloadLength <= 0xffff ? 2 : 8
        return 2 + lengthBytes + (mask == nil ? 0 : 4)
    }

    /// The encoded header, with the length in the fewest bytes, as the RFC requires.
    package var encoded: [UInt8] {
        var bytes: [UInt8] = [(isFinal ? 0x80 : 0) | opcode.rawValue]
        let masked: UInt8 = mask == nil ? 0 : 0x80
        switch payloadLength {
        case ..<126: bytes.append(masked | UInt8(payloadLength))
        case ...0xffff:
            bytes.append(masked | 126)
            bytes.append(bigEndian: UInt16(payloadLength))
        default:
            bytes.append(masked | 127)
            bytes.append(bigEndian: payloadLength)
        }
        if let mask { bytes.append(bigEndian: mask) }
        return bytes
    }

    /// Parses the header at the start of `bytes`; nil where they end before it does.
    package init?(parsing bytes: RawSpan) throws(WebSocketError) {
        guard bytes.byteCount >= 2 else { return nil }
        let (first, second) = (bytes.byte(at: 0), bytes.byte(at: 1))
        guard first & 0x70 == 0 else { throw Self.wrong("a reserved bit is set, though no extension was agreed on") }
        guard let opcode = WebSocketOpcode(rawValue: first & 0x0f) else {
            throw Self.wrong("opcode \(first & 0x0f) is not known")
        }
        self.opcode = opcode
        isFinal = first & 0x80 != 0
        let short = second & 0x7f
        guard !opcode.isControl || (isFinal && short <= Self.maximumControlPayload) else {
            throw Self.wrong("a control frame is fragmented or longer than \(Self.maximumControlPayload) bytes")
        }
        let lengthBytes = short < 126 ? 0 : short == 126 ? 2 : 8
        let maskStart = 2 + lengthBytes
        let isMasked = second & 0x80 != 0
        guard bytes.byteCount >= maskStart + (isMasked ? 4 : 0) else { return nil }
        payloadLength = lengthBytes == 0 ? UInt64(short) : bytes.bigEndian(in: 2..<maskStart)
        let minimum: UInt64 = lengthBytes == 0 ? 0 : lengthBytes == 2 ? 126 : 0x1_0000
        guard payloadLength >= minimum, payloadLength < 1 << 63 else {
            throw Self.wrong("a length of \(payloadLength) is written in \(lengthBytes) bytes")
        }
        mask = isMasked ? UInt32(bytes.bigEndian(in: maskStart..<maskStart + 4)) : nil
    }

    private static func wrong(_ message: String) -> WebSocketError { WebSocketError(.protocolError, message) }
}

extension RawSpan {
    fileprivate func byte(at offset: Int) -> UInt8 { unsafeLoad(fromByteOffset: offset, as: UInt8.self) }

    fileprivate func bigEndian(in range: Range<Int>) -> UInt64 {
        range.reduce(0) { $0 << 8 | UInt64(byte(at: $1)) }
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}

/// Whole frames as bytes: text and control frames, which are short.
package enum WebSocketFrame {
    /// A text message in one frame.
    ///
    /// - Parameters:
    ///   - text: the message.
    ///   - mask: unpredictable, from a client; nil from a server.
    /// - Returns: the bytes to send.
    package static func text(_ text: String, mask: UInt32?) -> [UInt8] { frame(.text, Array(text.utf8), mask) }

    /// Asks for a pong that repeats the payload, of which 125 bytes are kept.
    package static func ping(_ payload: [UInt8], mask: UInt32?) -> [UInt8] { frame(.ping, payload, mask) }

    /// Answers a ping with its own payload.
    package static func pong(_ payload: [UInt8], mask: UInt32?) -> [UInt8] { frame(.pong, payload, mask) }

    /// Ends the connection; no frame follows it.
    package static func close(_ code: WebSocketCloseCode, _ reason: String = "", mask: UInt32?) -> [UInt8] {
        let number = [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xff)]
        var reason = Substring(reason)
        while reason.utf8.count > WebSocketFrameHeader.maximumControlPayload - 2 { reason.removeLast() }
        return frame(.close, number + reason.utf8, mask)
    }

    private static func frame(_ opcode: WebSocketOpcode, _ payload: [UInt8], _ mask: UInt32?) -> [UInt8] {
        var payload = payload
        if opcode.isControl { payload = Array(payload.prefix(WebSocketFrameHeader.maximumControlPayload)) }
        let header = WebSocketFrameHeader(opcode, payloadLength: UInt64(payload.count), mask: mask)
        if let mask { WebSocketMask(mask).apply(to: &payload, at: 0) }
        return header.encoded + payload
    }
}

/// What a WebSocket frame is (RFC 6455 section 5.2).
package enum WebSocketOpcode: UInt8, Sendable, CaseIterable {
    /// Continues the message of the frames before it.
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    /// Whether it may occur between the fragments of a message; it is short and not fragmented itself.
    package var isControl: Bool { rawValue & 0x8 != 0 }
}

/// The four bytes that a client's payload is XORed with (RFC 6455 section 5.3).
///
/// Only short frames are masked. Load is random bytes that are not read: the sender treats them as masked already,
/// and the receiver counts them.
struct WebSocketMask {
    private let key: UInt32

    /// - Parameter key: the first byte in the highest bits.
    init(_ key: UInt32) { self.key = key }

    /// Masks, or unmasks, `bytes`, the first of which is at `offset` of its payload.
    func apply(to bytes: inout [UInt8], at offset: UInt64) {
        for index in bytes.indices {
            let position = (offset &+ UInt64(index)) & 3
            bytes[index] ^= UInt8(truncatingIfNeeded: key >> (24 - 8 * UInt32(position)))
        }
    }
}

/// Why a side closes a WebSocket (RFC 6455 section 7.4).
package struct WebSocketCloseCode: RawRepresentable, Sendable, Hashable {
    package let rawValue: UInt16

    /// Any number, also one that must not be sent.
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The purpose of the connection is fulfilled.
    package static let normal = Self(rawValue: 1000)
    /// The side is leaving.
    package static let goingAway = Self(rawValue: 1001)
    package static let protocolError = Self(rawValue: 1002)
    /// A kind of data that is not accepted.
    package static let unsupportedData = Self(rawValue: 1003)
    /// Such as text that is not UTF-8.
    package static let invalidPayload = Self(rawValue: 1007)
    package static let messageTooBig = Self(rawValue: 1009)

    /// Whether a Close frame may contain it: 1004 to 1006 and 1015 are for programs only, and numbers below 1000 or
    /// above 4999 are not assigned.
    package var isAllowedOnTheWire: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

/// A violation of RFC 6455, or of our limits, by the other side.
package struct WebSocketError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The status to close the connection with.
    package var code: WebSocketCloseCode
    /// What was received, and what was expected.
    package var message: String

    package init(_ code: WebSocketCloseCode, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
