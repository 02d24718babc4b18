import SpeedTestCore
import Testing

struct WebSocketReaderTests {
    private static func events(
        _ bytes: [UInt8],
        from peer: WebSocketReader.Peer = .server,
        textLimit: Int = 100,
        binaryLimit: UInt64 = 1000
    ) throws -> [WebSocketEvent] {
        var reader = WebSocketReader(from: peer, textLimit: textLimit, binaryLimit: binaryLimit)
        var events: [WebSocketEvent] = []
        try reader.read(bytes.span.bytes) { events.append($0) }
        return events
    }

    private static func frame(_ opcode: WebSocketOpcode, _ text: String, isFinal: Bool = true) -> [UInt8] {
        WebSocketFrameHeader(opcode, payloadLength: UInt64(text.utf8.count), isFinal: isFinal).encoded + text.utf8
    }

    @Test func `messages are whole, whatever the pieces in which they arrive`() throws {
        let bytes =
            Self.frame(.text, "Hel", isFinal: false) + WebSocketFrame.ping([1, 2], mask: nil)
            + Self.frame(.continuation, "lo") + Self.frame(.binary, "")
            + WebSocketFrame.close(.normal, "bye", mask: nil)
        let expected: [WebSocketEvent] = [
            .ping([1, 2]), .text("Hello"), .binaryEnd(0), .close(.normal, reason: "bye"),
        ]
        #expect(try Self.events(bytes) == expected)
        var reader = WebSocketReader(from: .server)
        var events: [WebSocketEvent] = []
        for byte in bytes { try reader.read([byte].span.bytes) { events.append($0) } }
        #expect(events == expected)
    }

    @Test func `a client's text is unmasked, also where its pieces do not end with the mask`() throws {
        let bytes = WebSocketFrame.text("Hello", mask: 0x37fa_213d)
        var reader = WebSocketReader(from: .client)
        var events: [WebSocketEvent] = []
        for piece in [bytes[..<9], bytes[9...]] { try reader.read(Array(piece).span.bytes) { events.append($0) } }
        #expect(events == [.text("Hello")])
    }

    @Test func `binary payload is counted and not kept`() throws {
        var reader = WebSocketReader(from: .server)
        var events: [WebSocketEvent] = []
        let header = WebSocketFrameHeader(.binary, payloadLength: 1 << 24, isFinal: false).encoded
        try reader.read(header.span.bytes) { events.append($0) }
        let piece = [UInt8](repeating: 7, count: 1 << 16)
        for _ in 0..<256 { try reader.read(piece.span.bytes) { events.append($0) } }
        #expect(events == Array(repeating: .binary(1 << 16), count: 256))
        try reader.read(Self.frame(.continuation, "").span.bytes) { events.append($0) }
        #expect(events.last == .binaryEnd(1 << 24))
    }

    @Test func `nothing after a Close counts`() throws {
        let bytes = WebSocketFrame.close(.goingAway, mask: nil) + [0xff, 0xff, 0xff]
        #expect(try Self.events(bytes) == [.close(.goingAway, reason: "")])
        #expect(try Self.events([0x88, 0x00]) == [.close(nil, reason: "")])
    }

    @Test(
        arguments: [
            ("a masked frame of a server", [0x81, 0x80, 0, 0, 0, 0], .protocolError),
            ("a continuation of nothing", [0x80, 0x00], .protocolError),
            ("a message inside another", [0x01, 0x00, 0x81, 0x00], .protocolError),
            ("a Close of one byte", [0x88, 0x01, 0x03], .protocolError),
            ("a Close with 1005", [0x88, 0x02, 0x03, 0xed], .protocolError),
            ("a Close with 999", [0x88, 0x02, 0x03, 0xe7], .protocolError),
            ("text that is not UTF-8", [0x81, 0x02, 0xc3, 0x28], .invalidPayload),
            ("a reason that is not UTF-8", [0x88, 0x03, 0x03, 0xe8, 0xff], .invalidPayload),
            ("text of 101 bytes", [0x81, 101], .messageTooBig),
            ("text of 60 and 60 bytes", [0x01, 60] + Array(repeating: 0x61, count: 60) + [0x80, 60], .messageTooBig),
            ("binary of 1001 bytes", [0x82, 126, 0x03, 0xe9], .messageTooBig),
            (
                "a binary as long as can be", [0x82, 127, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
                .messageTooBig
            ),
        ] as [(String, [UInt8], WebSocketCloseCode)]
    )
    func `a violation ends it with its code`(name: String, bytes: [UInt8], code: WebSocketCloseCode) {
        let error = #expect(throws: WebSocketError.self) { try Self.events(bytes) }
        #expect(error?.code == code)
    }

    @Test func `a client that does not mask is refused`() {
        let error = #expect(throws: WebSocketError.self) { try Self.events([0x82, 0x00], from: .client) }
        #expect(error?.code == .protocolError)
    }
}
