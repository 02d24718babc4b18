import CLinux

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
            case IFLA_LINKMODE: linkMode = try attribute.load(UInt8.self, in: payload)
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

    /// `struct rtnl_link_stats64` begins with packets received, packets sent, bytes received, bytes sent.
    private mutating func readStatistics(_ statistics: Attribute, in payload: RawSpan) throws(NetlinkError) {
        receivedBytes = try statistics.load(UInt64.self, at: 16, in: payload)
        transmittedBytes = try statistics.load(UInt64.self, at: 24, in: payload)
    }
}
