import CLinux

/// What both ends of a cable offer (ETHTOOL_MSG_LINKMODES_GET, linux/ethtool_netlink.h).
package struct LinkModes: Sendable, Equatable {
    /// The bits of `ETHTOOL_LINK_MODE_…` that this end advertises, from the lowest on.
    package var ours: [UInt32] = []
    /// Those that the other end advertises; nil: it has not said.
    package var peers: [UInt32]?

    package init() {}

    /// The highest speed that both ends offer, in bits per second; nil where the other end's are unknown, or a mode that both
    /// have is newer than this table.
    package var maxSpeed: UInt64? {
        guard let peers else { return nil }
        var most: UInt64 = 0
        for (index, word) in zip(ours, peers).map(&).enumerated() where word != 0 {
            for bit in 0..<32 where word >> UInt32(bit) & 1 != 0 {
                guard let speed = Self.megabits(ofMode: index * 32 + bit) else { return nil }
                most = max(most, speed)
            }
        }
        return most == 0 ? nil : most * 1_000_000
    }

    /// Of `enum ethtool_link_mode_bit_indices` (linux/ethtool.h): 0 for one that is no speed, nil for one that is unknown.
    private static func megabits(ofMode bit: Int) -> UInt64? {
        switch bit {
        case 0, 1, 92, 99...102: 10
        case 2, 3, 67, 90, 91: 100
        case 4, 5, 17, 41, 68: 1000
        case 15, 47: 2500
        case 48: 5000
        case 12, 18...20, 42...46: 10_000
        case 21, 22: 20_000
        case 31...33: 25_000
        case 23...26: 40_000
        case 34, 35, 40, 52...56: 50_000
        case 27...30: 56_000
        case 36...39, 57...61, 75...79: 100_000
        case 62...66, 80...84, 103...108: 200_000
        case 69...73, 85...89, 109...114: 400_000
        case 93...98, 115...120: 800_000
        // Autonegotiation, connectors, pause frames, error correction.
        case 6...11, 13, 14, 16, 49...51, 74: 0
        default: nil
        }
    }
}

extension LinkModes {
    /// ETHTOOL_A_LINKMODES_OURS, ETHTOOL_A_LINKMODES_PEER.
    private static let (oursAttribute, peersAttribute) = (3, 4)
    /// ETHTOOL_A_BITSET_SIZE, in bits; ETHTOOL_A_BITSET_VALUE, whole words.
    private static let (sizeAttribute, valueAttribute) = (2, 4)
    /// More than any kernel has.
    private static let mostBits = 4096

    /// Reads the payload of ETHTOOL_MSG_LINKMODES_GET_REPLY with compact bit sets; offsets in errors count from its start.
    package init(parsing payload: RawSpan) throws(NetlinkError) {
        guard payload.byteCount >= GenericNetlink.headerLength else {
            throw .truncated(what: "link modes", offset: payload.byteCount)
        }
        var attributes = AttributeReader(after: GenericNetlink.headerLength, of: payload)
        while let attribute = try attributes.next(in: payload) {
            switch attribute.type {
            case Self.oursAttribute: ours = try Self.bits(attribute, in: payload)
            case Self.peersAttribute: peers = try Self.bits(attribute, in: payload)
            default: break
            }
        }
    }

    private static func bits(_ set: Attribute, in payload: RawSpan) throws(NetlinkError) -> [UInt32] {
        var (size, words) = (0, [UInt32]())
        var attributes = AttributeReader(set.payload)
        while let attribute = try attributes.next(in: payload) {
            switch attribute.type {
            case sizeAttribute: size = Int(try attribute.load(UInt32.self, in: payload))
            case valueAttribute:
                words = []
                for offset in stride(from: 0, to: attribute.payload.count - 3, by: 4) {
                    words.append(try attribute.load(UInt32.self, at: offset, in: payload))
                }
            default: break
            }
        }
        guard size <= mostBits, words.count == (size + 31) / 32 else {
            throw .malformed(what: "bit set of link modes", offset: set.payload.lowerBound)
        }
        return words
    }
}

extension RequestSocket {
    private static let ethtool = (name: "ethtool", version: UInt8(1))
    /// ETHTOOL_MSG_LINKMODES_GET.
    private static let getLinkModes: UInt8 = 4
    /// ETHTOOL_A_LINKMODES_HEADER, ETHTOOL_A_HEADER_DEV_INDEX, ETHTOOL_A_HEADER_FLAGS, ETHTOOL_FLAG_COMPACT_BITSETS.
    private static let (header, deviceIndex, flags, compactBitSets) = (1, 1, 3, UInt32(1))

    /// What both ends of a device's link offer; nil for kernels before 5.6.
    ///
    /// On a socket for generic netlink. Throws `.kernel` where the device is gone or has no such modes.
    package mutating func linkModes(interfaceIndex: Int32) throws(NetlinkError) -> LinkModes? {
        guard let family = try family(Self.ethtool.name) else { return nil }
        var request = Request(type: family)
        request.append(GenericNetlink.Header(command: Self.getLinkModes, version: Self.ethtool.version))
        request.append(
            nested: Self.header,
            [(Self.deviceIndex, UInt32(bitPattern: interfaceIndex)), (Self.flags, Self.compactBitSets)]
        )
        var modes: LinkModes?
        _ = try perform(request) { (message, payload) throws(NetlinkError) in
            guard message.type == family else { throw .unexpected(type: message.type) }
            modes = try LinkModes(parsing: payload)
        }
        return modes
    }
}
