import CLinux

/// An option of a router advertisement that the kernel leaves to user space (RTM_NEWNDUSEROPT, RFC 4861 4.6).
package struct NeighbourOption: Sendable, Equatable {
    /// The device on whose link it was received.
    package var interfaceIndex: Int32
    /// 3 prefix, 25 DNS servers, 31 search domains, 37 captive portal, 38 NAT64 prefix.
    package var type: UInt8
    /// What follows its type and length, padding included.
    package var bytes: [UInt8]

    package init(interfaceIndex: Int32, type: UInt8, bytes: [UInt8]) {
        self.interfaceIndex = interfaceIndex
        self.type = type
        self.bytes = bytes
    }
}

extension NeighbourOption {
    /// The length of `struct nduseroptmsg`.
    static let fixedPart = 16
    /// ND_ROUTER_ADVERT (RFC 4861, 4.2).
    private static let routerAdvertisement: UInt8 = 134

    /// Reads the payload of RTM_NEWNDUSEROPT, of which the kernel sends one for each option.
    ///
    /// Offsets in errors count from its start. Nil for what does not come from a router advertisement.
    package init?(parsing payload: RawSpan) throws(NetlinkError) {
        guard payload.byteCount >= Self.fixedPart else {
            throw .truncated(what: "ND user option", offset: payload.byteCount)
        }
        guard try payload.load(UInt8.self, at: 8, of: "ND user option") == Self.routerAdvertisement else { return nil }
        let index = try payload.load(Int32.self, at: 4, of: "ND user option")
        guard index > 0 else { throw .malformed(what: "interface index of an ND user option", offset: 4) }
        let room = Int(try payload.load(UInt16.self, at: 2, of: "ND user option"))
        let start = Self.fixedPart
        let type = try payload.load(UInt8.self, at: start, of: "ND user option")
        // In units of eight bytes, type and length included.
        let length = Int(try payload.load(UInt8.self, at: start + 1, of: "ND user option")) * 8
        guard length > 0, length <= room else {
            throw .malformed(what: "length of an ND user option", offset: start + 1)
        }
        self.init(
            interfaceIndex: index,
            type: type,
            bytes: try payload.bytes(start + 2..<start + length, of: "ND user option")
        )
    }
}

/// What a router advertisement announces about a captive portal (RFC 8910).
package enum PortalAnnouncement: Sendable, Equatable {
    /// The URI of the portal's API (RFC 8908), always https.
    case portal(uri: String)
    /// The network has no portal.
    case unrestricted

    /// Whether a URI is an https one with something after the slashes: RFC 8908 allows no other.
    package static func isSecure(_ uri: String) -> Bool {
        let scheme = "https://"
        return uri.utf8.count > scheme.utf8.count && uri.prefix(scheme.count).lowercased() == scheme
    }
}

extension NeighbourOption {
    /// The number of the captive-portal option (RFC 8910, 2.3).
    private static let captivePortal: UInt8 = 37
    /// The URI that means that there is no portal (RFC 8910, 2).
    private static let unrestricted = "urn:ietf:params:capport:unrestricted"

    /// Nil for another option, and for a URI that is not https.
    package var portal: PortalAnnouncement? {
        // Padded with NULs to a multiple of eight bytes.
        guard type == Self.captivePortal, let uri = String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
        else { return nil }
        if uri == Self.unrestricted { return .unrestricted }
        return PortalAnnouncement.isSecure(uri) ? .portal(uri: uri) : nil
    }
}
