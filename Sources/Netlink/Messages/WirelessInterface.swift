import CLinux

/// What a Wi-Fi device is, and the network that it is in (NL80211_CMD_GET_INTERFACE, linux/nl80211.h).
package struct WirelessInterface: Sendable, Equatable {
    /// Whether its one station is its access point.
    package var isClient = false
    /// The name of the network (SSID), with U+FFFD where it is not UTF-8; nil without a network, and where the driver does not say.
    package var network: String?

    package init() {}
}

extension WirelessInterface {
    static let family = "nl80211"
    /// NL80211_CMD_GET_INTERFACE.
    fileprivate static let get: UInt8 = 5
    /// NL80211_ATTR_IFINDEX.
    static let indexAttribute = 3
    /// NL80211_ATTR_IFTYPE, NL80211_ATTR_SSID.
    private static let (kindAttribute, networkAttribute) = (5, 52)
    /// NL80211_IFTYPE_STATION, NL80211_IFTYPE_P2P_CLIENT.
    private static let clientKinds: Set<UInt32> = [2, 8]
    /// IEEE80211_MAX_SSID_LEN.
    private static let longestNetwork = 32

    /// Reads the payload of NL80211_CMD_NEW_INTERFACE; offsets in errors count from its start.
    package init(parsing payload: RawSpan) throws(NetlinkError) {
        guard payload.byteCount >= GenericNetlink.headerLength else {
            throw .truncated(what: "wireless interface", offset: payload.byteCount)
        }
        var attributes = AttributeReader(after: GenericNetlink.headerLength, of: payload)
        while let attribute = try attributes.next(in: payload) {
            switch attribute.type {
            case Self.kindAttribute:
                isClient = Self.clientKinds.contains(try attribute.load(UInt32.self, in: payload))
            case Self.networkAttribute: network = Self.name(try payload.bytes(attribute.payload, of: "SSID"))
            default: break
            }
        }
    }

    /// A hidden network has a name that is empty, or has zeros only, until it is known.
    private static func name(_ bytes: [UInt8]) -> String? {
        guard bytes.count <= longestNetwork, bytes.contains(where: { $0 != 0 }) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension RequestSocket {
    /// nil where the kernel has no Wi-Fi.
    ///
    /// On a socket for generic netlink. Throws `.kernel` where the device is gone or is no radio.
    package mutating func wirelessInterface(interfaceIndex: Int32) throws(NetlinkError) -> WirelessInterface? {
        guard let family = try family(WirelessInterface.family) else { return nil }
        return try wirelessInterface(interfaceIndex, family)
    }

    mutating func wirelessInterface(_ index: Int32, _ family: Int) throws(NetlinkError) -> WirelessInterface {
        var request = Request(type: family)
        request.append(GenericNetlink.Header(command: WirelessInterface.get, version: 0))
        request.append(attribute: WirelessInterface.indexAttribute, UInt32(bitPattern: index))
        var interface = WirelessInterface()
        _ = try perform(request) { (message, payload) throws(NetlinkError) in
            guard message.type == family else { throw .unexpected(type: message.type) }
            interface = try WirelessInterface(parsing: payload)
        }
        return interface
    }
}
