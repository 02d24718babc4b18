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

    /// Bytes it has when written.
    package var byteCount: Int {
        let lengthBytes = payloadLength < 126 ? 0 : payloadLength <= 0xffff ? 2 : 8
        return 2 + lengthBytes + (mask == nil ? 0 : 4)
    }

    /// As written: the length in the fewest bytes, as the RFC asks for.
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

    /// Reads one at the start of `bytes`; nil where they end before it does.
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
