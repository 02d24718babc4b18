import Testing

@testable import SpeedTestCore

struct NDT7OutputTests {
    /// Takes everything, in pieces of at most `piece` bytes, for so many rounds.
    private static func sent(_ output: inout NDT7Output, piece: Int = .max, rounds: Int = 1) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<rounds {
            _ = output.send { offered in
                let count = min(piece, offered.byteCount)
                offered.extracting(0..<count).withUnsafeBytes { bytes.append(contentsOf: $0) }
                return count
            }
        }
        return bytes
    }

    @Test func `each frame goes out once, the most urgent first, and a Close last`() {
        var output = NDT7Output(loads: false, masks: false)
        output.text("old")
        output.text("new")
        output.pong([1])
        output.pong([2])
        #expect(output.wantsRoom)
        #expect(
            Self.sent(&output, piece: 2, rounds: 3) == WebSocketFrame.pong([2], mask: nil)
                + WebSocketFrame.text("new", mask: nil)
        )
        #expect(!output.wantsRoom)
        output.text("never")
        output.close(.normal)
        output.close(.goingAway)
        #expect(Self.sent(&output, rounds: 3) == WebSocketFrame.close(.normal, mask: nil))
        #expect(output.isClosed && !output.wantsRoom)
    }

    @Test func `messages of load double while they are a sixteenth of it, up to 1 MiB`() throws {
        var size = NDT7MessageSize()
        #expect(size.next(total: 0) == 8192)
        #expect(size.next(total: 131_071) == 8192)
        #expect(size.next(total: 131_072) == 16_384)
        for _ in 0..<20 { _ = size.next(total: .max) }
        #expect(size.current == 1 << 20)
    }

    @Test func `load is masked frames, and never more than the limit`() throws {
        var output = NDT7Output(loads: true, masks: true, limit: 100_000)
        let bytes = Self.sent(&output, piece: 5000, rounds: 20)
        #expect(bytes.count <= 100_000 && bytes.count > 95_000)
        #expect(output.loadSent == UInt64(bytes.count))
        #expect(output.isUsedUp && !output.wantsRoom)
        var reader = WebSocketReader(from: .client)
        var payload = 0
        try reader.read(bytes.span.bytes) { if case .binary(let count) = $0 { payload += count } }
        #expect(payload > 95_000)
    }

    @Test func `a pong waits for the end of the present message`() throws {
        var output = NDT7Output(loads: true, masks: false)
        var first = true
        var bytes: [UInt8] = []
        _ = output.send { offered in
            guard first || bytes.count < 1000 else { return 0 }
            first = false
            let count = min(500, offered.byteCount)
            offered.extracting(0..<count).withUnsafeBytes { bytes.append(contentsOf: $0) }
            return count
        }
        output.pong([7])
        bytes += Self.sent(&output)
        var reader = WebSocketReader(from: .server)
        var events: [WebSocketEvent] = []
        try reader.read(bytes.span.bytes) { if case .binary = $0 {} else { events.append($0) } }
        #expect(events.prefix(2) == [.binaryEnd(8192), .pong([7])])
    }
}
