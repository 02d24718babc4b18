import SpeedTestCore
import Testing

struct WebSocketFrameHeaderTests {
    @Test(arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 1 << 24, (1 << 63) - 1] as [UInt64], [nil, 0x37fa_213d])
    func `a written header is read back, in the fewest bytes`(length: UInt64, mask: UInt32?) throws {
        let header = WebSocketFrameHeader(.binary, payloadLength: length, mask: mask, isFinal: false)
        let bytes = header.encoded
        #expect(bytes.count == header.byteCount)
        #expect(bytes.count == 2 + (length < 126 ? 0 : length < 65_536 ? 2 : 8) + (mask == nil ? 0 : 4))
        #expect(try WebSocketFrameHeader(parsing: bytes.span.bytes) == header)
        for count in 0..<bytes.count {
            #expect(try WebSocketFrameHeader(parsing: bytes.span.bytes.extracting(0..<count)) == nil)
        }
    }

    @Test(
        arguments: [
            ("a reserved bit", [0xc1, 0x00]), ("an unknown opcode", [0x83, 0x00]),
            ("an unknown control", [0x8b, 0x00]),
            ("a ping in pieces", [0x09, 0x00]), ("a ping of 126 bytes", [0x89, 126, 0, 126]),
            ("125 in two bytes", [0x82, 126, 0, 125]), ("65535 in eight", [0x82, 127, 0, 0, 0, 0, 0, 0, 0xff, 0xff]),
            ("the highest bit of a length", [0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0]),
        ] as [(String, [UInt8])]
    )
    func `a forbidden header is a protocol error`(name: String, bytes: [UInt8]) {
        let error = #expect(throws: WebSocketError.self) { try WebSocketFrameHeader(parsing: bytes.span.bytes) }
        #expect(error?.code == .protocolError)
    }

    @Test func `the RFC's own examples are encoded byte for byte`() {
        #expect(WebSocketFrame.text("Hello", mask: nil) == [0x81, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f])
        let masked: [UInt8] = [0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58]
        #expect(WebSocketFrame.text("Hello", mask: 0x37fa_213d) == masked)
        #expect(WebSocketFrame.ping(Array("Hello".utf8), mask: nil) == [0x89, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f])
        #expect(WebSocketFrame.close(.normal, "x", mask: nil) == [0x88, 0x03, 0x03, 0xe8, 0x78])
    }

    @Test func `a long reason of a Close is cut at a character`() throws {
        let frame = WebSocketFrame.close(.normal, String(repeating: "é", count: 100), mask: nil)
        #expect(frame.count == 2 + 124)
        #expect(String(validating: frame.dropFirst(4), as: UTF8.self) != nil)
    }
}
