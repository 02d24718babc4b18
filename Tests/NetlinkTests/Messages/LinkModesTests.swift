import CLinux
import Foundation
import Lab
import Netlink
import Posix
import Testing

struct LinkModesTests {
    /// ETHTOOL_A_LINKMODES_OURS or _PEER as a compact bit set; `size` overrides the number of bits.
    private static func bitSet(_ attribute: Int, _ bits: [Int], size: UInt32 = 121) -> [UInt8] {
        var words = [UInt32](repeating: 0, count: 4)
        for bit in bits { words[bit / 32] |= 1 << UInt32(bit % 32) }
        let value = Build.attribute(4, words.flatMap { Build.integer($0) })
        return Build.attribute(0x8000 | attribute, Build.attribute(2, Build.integer(size)) + value)
    }

    private static func maxSpeed(_ ours: [Int], _ peers: [Int]?) throws -> UInt64? {
        try Parse.linkModes(Build.generic(bitSet(3, ours), peers.map { bitSet(4, $0) } ?? [])).maxSpeed
    }

    private static func recorded(_ index: Int) throws -> LinkModes {
        let message = try #require(try Parse.messages(RecordedNetlink.generic.datagrams()[index]).first)
        return try Parse.linkModes(message.payload)
    }

    @Test func `reads what both ends offer from recorded answers`() throws {
        let virtio = try Self.recorded(1)
        #expect(virtio.ours == [0, 0, 0, 0] && virtio.peers == nil && virtio.maxSpeed == nil)
        #expect(try Self.recorded(2).maxSpeed == 1_000_000_000)
        let lesser = try Self.recorded(3)
        #expect(lesser.ours == [0x22ef, 0, 0, 0] && lesser.peers == [0x204f, 0, 0, 0])
        #expect(lesser.maxSpeed == 100_000_000)
    }

    private struct Ends: Sendable {
        var ours: [Int]
        var peers: [Int]?
        var speed: UInt64?
    }

    /// 10, 100 and 1000baseT are 1, 3 and 5, autonegotiation 6, pause frames 13.
    private static let ends = [
        Ends(ours: [0, 1, 3, 5, 6, 7, 47, 12], peers: [1, 3, 5, 6, 47], speed: 2_500_000_000),
        Ends(ours: [3, 5, 6], peers: [3, 6], speed: 100_000_000), Ends(ours: [5, 6, 13], peers: [3, 6, 13]),
        Ends(ours: [5], peers: []), Ends(ours: [5]), Ends(ours: [120, 31], peers: [120, 31], speed: 800_000_000_000),
    ]

    @Test(arguments: ends)
    private func `the highest speed counts that both ends offer`(ends: Ends) throws {
        #expect(try Self.maxSpeed(ends.ours, ends.peers) == ends.speed)
    }

    @Test func `a mode that is newer than the table makes the speed unknown, if both ends have it`() throws {
        #expect(try Self.maxSpeed([5, 121], [5, 121]) == nil)
        #expect(try Self.maxSpeed([5, 121], [5]) == 1_000_000_000)
    }

    @Test func `each mode has the speed of its name in the kernel's header`() throws {
        let header = try String(
            contentsOfFile: "/usr/include/linux/ethtool.h",
            encoding: .utf8
        )
        var modes = 0
        for line in header.split(separator: "\n") where line.contains("ETHTOOL_LINK_MODE_") {
            let words = line.split(whereSeparator: { " \t,=".contains($0) })
            // Those of a newer kernel are unknown.
            guard words.count >= 2, words[0].hasSuffix("_BIT"), let bit = Int(words[1]), bit <= 120 else { continue }
            let name = words[0].dropFirst("ETHTOOL_LINK_MODE_".count)
            let megabits = name.contains("base") ? UInt64(name.prefix { $0.isNumber }) : nil
            #expect(try Self.maxSpeed([bit], [bit]) == megabits.map { $0 * 1_000_000 }, "\(line)")
            modes += 1
        }
        #expect(modes >= 90)
    }

    private static let broken: [([UInt8], NetlinkError)] = [
        ([4, 1, 0], .truncated(what: "link modes", offset: 3)),
        (Build.generic(bitSet(3, [1], size: 129)), .malformed(what: "bit set of link modes", offset: 8)),
        (Build.generic(bitSet(4, [1], size: .max)), .malformed(what: "bit set of link modes", offset: 8)),
        (Build.generic(bitSet(3, [1], size: 96)), .malformed(what: "bit set of link modes", offset: 8)),
        (Build.generic(Build.attribute(3, Build.attribute(2, [1, 0]))), .truncated(what: "attribute 2", offset: 12)),
        (Build.generic(Build.attribute(3, [9, 0, 1, 0])), .truncated(what: "attribute", offset: 8)),
    ]

    @Test(arguments: broken)
    func `refuses what contradicts itself`(payload: [UInt8], error: NetlinkError) {
        #expect(throws: error) { try Parse.linkModes(payload) }
    }
}

/// What is asked, and what a kernel answers that has no such family, device or driver.
@Suite(.timeLimit(.minutes(3)))
struct GenericRequestTests {
    /// The datagrams of the fixture with the number of the request that they answer.
    private static func answer(_ index: Int, _ sequence: UInt32) -> [UInt8] {
        var datagram = (try? RecordedNetlink.generic.datagrams()[index]) ?? []
        datagram.replaceSubrange(8..<12, with: Build.integer(sequence))
        return datagram
    }

    private static func refusal(_ errno: Int32, _ sequence: UInt32) -> [UInt8] {
        Build.message(type: Int(NLMSG_ERROR), sequence: sequence, Build.integer(-errno) + Build.message(type: 21))
    }

    private static func done(_ sequence: UInt32) -> [UInt8] {
        Build.message(type: Int(NLMSG_DONE), flags: NLM_F_MULTI, sequence: sequence, Build.integer(Int32(0)))
    }

    @Test func `asks ethtool by its number for compact bit sets of one device`() throws {
        let (modes, requests) = try FakeKernel.run { count, number in
            [Self.answer(count == 0 ? 0 : 2, number)]
        } _: {
            try $0.linkModes(interfaceIndex: 4)
        }
        #expect(modes?.maxSpeed == 1_000_000_000)
        let sent = try requests.flatMap { try Parse.messages($0) }
        #expect(sent.map(\.message.type) == [16, 21] && sent.allSatisfy { $0.message.flags == NLM_F_REQUEST })
        #expect(sent[0].payload == [3, 1, 0, 0] + Build.attribute(2, "ethtool"))
        let header = Build.attribute(1, Build.integer(Int32(4))) + Build.attribute(3, Build.integer(Int32(1)))
        #expect(sent[1].payload == [4, 1, 0, 0] + Build.attribute(0x8001, header))
    }

    @Test func `asks for the kind of a radio, and for its access point`() throws {
        let (station, requests) = try FakeKernel.run { count, number in
            count == 2 ? [Self.answer(6, number), Self.done(number)] : [Self.answer(count + 4, number)]
        } _: {
            try $0.station(interfaceIndex: 5)
        }
        #expect(station?.signal == -61)
        let sent = try requests.flatMap { try Parse.messages($0) }
        #expect(sent.map(\.message.type) == [16, 34, 34])
        #expect(sent[2].message.flags == NLM_F_REQUEST | NLM_F_ROOT | NLM_F_MATCH)
        #expect(sent[1].payload == [5, 0, 0, 0] + Build.attribute(3, Build.integer(Int32(5))))
        #expect(sent[2].payload == [17, 0, 0, 0] + Build.attribute(3, Build.integer(Int32(5))))
    }

    @Test func `asks for the network of a radio`() throws {
        let (interface, requests) = try FakeKernel.run { count, number in
            [Self.answer(count + 4, number)]
        } _: {
            try $0.wirelessInterface(interfaceIndex: 5)
        }
        #expect(interface?.isClient == true && interface?.network?.hasPrefix("example") == true)
        let sent = try requests.flatMap { try Parse.messages($0) }
        #expect(sent.map(\.payload).last == [5, 0, 0, 0] + Build.attribute(3, Build.integer(Int32(5))))
        let none = try FakeKernel.run { _, number in
            [Self.refusal(ENOENT, number)]
        } _: {
            try $0.wirelessInterface(interfaceIndex: 5)
        }
        #expect(none.result == nil)
    }

    @Test func `an access point has no signal of its own, and a radio without a station has none`() throws {
        let point = try FakeKernel.run { count, number in
            var answer = Self.answer(count + 4, number)
            // NL80211_IFTYPE_AP in the place of NL80211_IFTYPE_STATION.
            if count == 1, answer[48..<53] == [8, 0, 5, 0, 2] { answer[52] = 3 }
            return [answer]
        } _: {
            try $0.station(interfaceIndex: 5)
        }
        #expect(point.result == nil && point.requests.count == 2)
        let alone = try FakeKernel.run { count, number in
            [count == 2 ? Self.done(number) : Self.answer(count + 4, number)]
        } _: {
            try $0.station(interfaceIndex: 5)
        }
        #expect(alone.result == nil && alone.requests.count == 3)
    }

    @Test func `a kernel without the family has no answer, and the refusal of a driver is thrown`() throws {
        let (modes, requests) = try FakeKernel.run { _, number in
            [Self.refusal(ENOENT, number)]
        } _: {
            try $0.linkModes(interfaceIndex: 4)
        }
        #expect(modes == nil && requests.count == 1)
        _ = try FakeKernel.run { count, number in
            [count == 0 ? Self.answer(0, number) : Self.refusal(EOPNOTSUPP, number)]
        } _: { socket in
            #expect(throws: NetlinkError.kernel(errno: EOPNOTSUPP, text: nil)) {
                try socket.linkModes(interfaceIndex: 4)
            }
        }
    }

    @Test func `this kernel answers for a device that has no link modes`() throws {
        var socket = try RequestSocket.generic()
        // The loopback has no driver that knows them.
        #expect(throws: NetlinkError.self) { try socket.linkModes(interfaceIndex: 1) }
    }
}
