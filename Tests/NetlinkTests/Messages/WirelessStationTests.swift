import Lab
import Netlink
import Posix
import Testing

struct WirelessStationTests {
    /// NL80211_ATTR_STA_INFO.
    private static func station(_ information: [UInt8]...) -> [UInt8] {
        Build.generic(command: 19, Build.attribute(0x8015, Array(information.joined())))
    }

    private static func rate(_ attribute: Int, _ content: [UInt8]) -> [UInt8] {
        Build.attribute(0x8000 | attribute, content)
    }

    @Test func `reads signal, rates and retries, and no address`() throws {
        let message = try #require(try Parse.messages(RecordedNetlink.generic.datagrams()[6]).first)
        var expected = WirelessStation()
        (expected.signal, expected.transmitRate, expected.receiveRate) = (-61, 866_700_000, 7_205_700_000)
        (expected.transmittedFrames, expected.retries) = (5000, 1250)
        #expect(try Parse.station(message.payload) == expected)
    }

    @Test func `the average comes before the last signal, and none is above 0 dBm`() throws {
        let (last, average) = (Build.attribute(7, [0xc4]), Build.attribute(13, [0xc0]))
        #expect(try Parse.station(Self.station(last)).signal == -60)
        #expect(try Parse.station(Self.station(last, average)).signal == -64)
        #expect(try Parse.station(Self.station(average, last)).signal == -64)
        #expect(try Parse.station(Self.station(last, Build.attribute(13, [0]))).signal == -60)
        #expect(try Parse.station(Self.station(Build.attribute(7, [0x7f]))).signal == nil)
        #expect(try Parse.station(Build.generic(command: 19)) == WirelessStation())
    }

    @Test func `a rate without its long form is that of its short one, and 0 is none`() throws {
        let short = Build.attribute(1, Build.integer(UInt16(540)))
        #expect(try Parse.station(Self.station(Self.rate(8, short))).transmitRate == 54_000_000)
        let long = Build.attribute(5, Build.integer(UInt32.max))
        #expect(try Parse.station(Self.station(Self.rate(14, long + short))).receiveRate == 429_496_729_500_000)
        let zero = Build.attribute(5, Build.integer(UInt32(0)))
        #expect(try Parse.station(Self.station(Self.rate(14, zero))).receiveRate == nil)
        #expect(try Parse.station(Self.station(Self.rate(14, []))).receiveRate == nil)
    }

    private static let broken: [([UInt8], NetlinkError)] = [
        ([19, 1], .truncated(what: "station", offset: 2)),
        (station(Build.attribute(7, [])), .truncated(what: "attribute 7", offset: 12)),
        (station(Build.attribute(11, [1, 2, 3])), .truncated(what: "attribute 11", offset: 12)),
        (station(rate(8, Build.attribute(5, [1, 2]))), .truncated(what: "attribute 5", offset: 16)),
        (station([9, 0, 7, 0]), .truncated(what: "attribute", offset: 8)),
    ]

    @Test(arguments: broken)
    func `refuses what ends early`(payload: [UInt8], error: NetlinkError) {
        #expect(throws: error) { try Parse.station(payload) }
    }

    @Test func `any bytes are read or refused`() throws {
        let datagrams = try RecordedNetlink.generic.datagrams()
        var random = SplitMix64(state: 34)
        for datagram in datagrams {
            for length in 16...datagram.count {
                var bytes = Array(datagram[16..<length])
                for _ in 0..<4 where !bytes.isEmpty {
                    _ = try? Parse.station(bytes)
                    _ = try? Parse.linkModes(bytes).maxSpeed
                    bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
                }
            }
        }
    }
}
