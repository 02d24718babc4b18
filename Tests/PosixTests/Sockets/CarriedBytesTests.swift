import Posix
import Testing

struct CarriedBytesTests {
    /// TCP_INFO of an established connection with time stamps, whose segments have 1448 bytes.
    private static func statistics(_ values: [Int: UInt64]) throws -> TCPStatistics {
        var info = [UInt8](repeating: 0, count: 248)
        (info[0], info[5]) = (1, 1)
        let wide: Set = [120, 128, 200]
        for (offset, value) in values.merging([20: 1448], uniquingKeysWith: { given, _ in given }) {
            for byte in 0..<(wide.contains(offset) ? 8 : 4) {
                info[offset + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte))
            }
        }
        let statistics = TCPStatistics(parsing: info.span.bytes)
        return try #require(statistics)
    }

    // Offsets in struct tcp_info.
    private static let (acknowledged, received, sent) = (120, 128, 200)
    private static let (segmentsOut, segmentsIn, dataIn, dataOut) = (136, 140, 152, 156)
    private static let (outOfOrder, space, repeated) = (224, 96, 100)

    private static func carried(isIPv6: Bool = false, _ readings: [Int: UInt64]...) throws -> ConnectionBytes {
        var bytes = ConnectionBytes()
        for reading in readings { bytes.read(try statistics(reading), isIPv6: isIPv6) }
        return bytes
    }

    @Test func `each segment has its headers, those without payload too`() throws {
        let reading: [Int: UInt64] = [
            Self.received: 1000, Self.segmentsIn: 12, Self.dataIn: 10, Self.sent: 300, Self.acknowledged: 200,
            Self.segmentsOut: 7, Self.dataOut: 3,
        ]
        let carried = try Self.carried(reading).carried
        #expect(carried.received == .init(least: 1000, most: 1000 + 12 * 52))
        #expect(carried.sent == .init(least: 200, most: 300 + 7 * 52))
        #expect(try Self.carried(isIPv6: true, reading).carried.received.most == 1000 + 12 * 72)
    }

    @Test func `segments that arrived twice or beyond a hole count as they arrive`() throws {
        let bytes = try Self.carried(
            [Self.received: 144_800, Self.segmentsIn: 100, Self.dataIn: 100],
            [Self.received: 144_800, Self.segmentsIn: 150, Self.dataIn: 150]
        )
        #expect(bytes.carried.received == .init(least: 144_800, most: 150 * 1500))
    }

    @Test func `segments that are not full have as much payload as at the moment without a hole`() throws {
        let bytes = try Self.carried(
            [Self.received: 72_400, Self.segmentsIn: 100, Self.dataIn: 100],
            [Self.received: 72_400, Self.segmentsIn: 200, Self.dataIn: 200]
        )
        #expect(bytes.carried.received.most == 144_800 + 200 * 52)
    }

    @Test func `of joined segments the bytes in order count`() throws {
        let bytes = try Self.carried([Self.received: 1_936_827, Self.segmentsIn: 52, Self.dataIn: 52])
        #expect(bytes.carried.received.most == 1_936_827 + 52 * 52)
    }

    @Test func `acknowledgements of what is beyond a hole are longer`() throws {
        let sent = try Self.carried([Self.segmentsOut: 100, Self.outOfOrder: 30]).carried.sent
        #expect(sent.most == 100 * 52 + 30 * 28)
        let received = try Self.carried([Self.segmentsIn: 100, Self.repeated: 1]).carried.received
        #expect(received.most == 100 * 80)
    }

    @Test func `a close adds its own segments, what is under way, and the resets that answer it`() throws {
        var open = try Self.carried([Self.received: 5000, Self.segmentsIn: 5, Self.dataIn: 5, Self.space: 14_480])
        let before = open.carried
        open.end(rest: nil)
        #expect(open.carried.received.most - before.received.most == 10 * 1500 + 112)
        #expect(open.carried.sent.most - before.sent.most == 10 * 52 + 112)
        #expect(open.carried.received.least == 5000)
        var ended = try Self.carried([Self.received: 5000, Self.segmentsIn: 5, Self.dataIn: 5, Self.space: 14_480])
        ended.end(rest: 0)
        #expect(ended.carried.received.most - before.received.most == 112)
        var never = ConnectionBytes()
        never.end(rest: nil)
        #expect(never.carried == CarriedBytes())
    }
}
