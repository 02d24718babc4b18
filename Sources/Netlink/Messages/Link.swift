import CLinux

/// A network device as RTM_NEWLINK describes it (rtnetlink(7), linux/if_link.h).
package struct Link: Sendable, Equatable {
    /// Interface index, positive; unique within the network namespace.
    package var index: Int32
    /// `IFLA_IFNAME`.
    package var name: String
    /// `ARPHRD_…`: 1 Ethernet (Wi-Fi too), 772 loopback, 65534 none (tun, WireGuard).
    package var hardwareType: UInt16 = 1
    /// `IFF_…` of linux/if.h.
    package var flags: UInt32 = 0
    /// RFC 2863 state: 0 unknown, 3 lower layer down, 5 dormant, 6 up.
    package var operationalState: UInt8 = 0
    /// `IFLA_INFO_KIND`: veth, bridge, wireguard, tun, …; nil for hardware.
    package var kind: String?
    /// `IFLA_LINK`: the underlying device, or a veth's peer.
    package var parentIndex: Int32?
    /// `IFLA_LINK_NETNSID`: set when the parent is in another network namespace.
    package var parentNamespace: Int32?
    /// `IFLA_MASTER`: the bridge, bond or team it is part of.
    package var masterIndex: Int32?
    /// `IFLA_BOND_ACTIVE_SLAVE`.
    package var activeSlaveIndex: Int32?
    /// How often the carrier was gained (`IFLA_CARRIER_UP_COUNT`); wraps at 2³².
    package var carrierUpCount: UInt32?
    /// How often the carrier was lost (`IFLA_CARRIER_DOWN_COUNT`); wraps at 2³².
    package var carrierDownCount: UInt32?
    /// Bytes received (`IFLA_STATS64`); nil where the kernel sends no statistics.
    package var receivedBytes: UInt64?
    /// Bytes transmitted (`IFLA_STATS64`).
    package var transmittedBytes: UInt64?
    /// Good frames received, and those with errors (`IFLA_STATS64`).
    package var receivedFrames: UInt64?
    package var receiveErrors: UInt64?

    package init(index: Int32, name: String) {
        self.index = index
        self.name = name
    }
}

extension Link {
    /// The length of `struct ifinfomsg`.
    static let fixedPart = 16

    /// Reads the payload of RTM_NEWLINK; offsets in errors count from its start.
    ///
    /// Nil for messages about something else than the device itself: copies for another family (a bridge's view of
    /// its port, IPv6 settings) and wireless extension events, which carry none of its state.
    package init?(parsing payload: RawSpan) throws(NetlinkError) {
        guard let index = try Self.index(parsing: payload) else { return nil }
        self.init(index: index, name: "")
        hardwareType = try payload.load(UInt16.self, at: 2, of: "link")
        flags = try payload.load(UInt32.self, at: 8, of: "link")
        var attributes = AttributeReader(after: Self.fixedPart, of: payload)
        while let attribute = try attributes.next(in: payload) {
            switch attribute.type {
            case IFLA_WIRELESS: return nil
            case IFLA_IFNAME: name = try attribute.loadText(in: payload)
            case IFLA_OPERSTATE: operationalState = try attribute.load(UInt8.self, in: payload)
            case IFLA_LINK: parentIndex = try attribute.loadIndex(in: payload)
            case IFLA_LINK_NETNSID: parentNamespace = try attribute.load(Int32.self, in: payload)
            case IFLA_MASTER: masterIndex = try attribute.loadIndex(in: payload)
            case IFLA_CARRIER_UP_COUNT: carrierUpCount = try attribute.load(UInt32.self, in: payload)
            case IFLA_CARRIER_DOWN_COUNT: carrierDownCount = try attribute.load(UInt32.self, in: payload)
            case IFLA_LINKINFO: try readKind(attribute, in: payload)
            case IFLA_STATS64: try readStatistics(attribute, in: payload)
            default: break
            }
        }
        guard !name.isEmpty else { throw .malformed(what: "link without a name", offset: 0) }
    }

    /// Reads only which device a message is about, for RTM_DELLINK; nil as for the whole.
    package static func index(parsing payload: RawSpan) throws(NetlinkError) -> Int32? {
        guard payload.byteCount >= fixedPart else { throw .truncated(what: "link", offset: payload.byteCount) }
        guard try payload.load(UInt8.self, at: 0, of: "link") == 0 else { return nil }  // AF_UNSPEC
        let index = try payload.load(Int32.self, at: 4, of: "link")
        guard index > 0 else { throw .malformed(what: "link index", offset: 4) }
        return index
    }

    /// IFLA_LINKINFO; its data means something only together with the kind, whichever comes first.
    private mutating func readKind(_ info: Attribute, in payload: RawSpan) throws(NetlinkError) {
        var data: Attribute?
        var attributes = AttributeReader(info.payload)
        while let attribute = try attributes.next(in: payload) {
            switch attribute.type {
            case IFLA_INFO_KIND: kind = try attribute.loadText(in: payload)
            case IFLA_INFO_DATA: data = attribute
            default: break
            }
        }
        guard kind == "bond", let data else { return }
        attributes = AttributeReader(data.payload)
        while let attribute = try attributes.next(in: payload) {
            guard attribute.type == IFLA_BOND_ACTIVE_SLAVE else { continue }
            activeSlaveIndex = try attribute.loadIndex(in: payload)
        }
    }

    /// `struct rtnl_link_stats64` begins with packets received, packets sent, bytes received, bytes sent, receive errors.
    private mutating func readStatistics(_ statistics: Attribute, in payload: RawSpan) throws(NetlinkError) {
        receivedBytes = try statistics.load(UInt64.self, at: 16, in: payload)
        transmittedBytes = try statistics.load(UInt64.self, at: 24, in: payload)
        guard statistics.payload.count >= 40 else { return }
        receivedFrames = try statistics.load(UInt64.self, at: 0, in: payload)
        receiveErrors = try statistics.load(UInt64.self, at: 32, in: payload)
    }
}
