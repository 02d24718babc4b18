import CLinux
package import Posix

/// An address on a device as RTM_NEWADDR describes it (rtnetlink(7), linux/if_addr.h).
package struct Address: Sendable, Hashable {
    package var interfaceIndex: Int32
    /// `IFA_LOCAL` where the kernel sends it (with a peer, `IFA_ADDRESS` is the other end), else `IFA_ADDRESS`.
    package var address: IPAddress
    package var prefixLength: UInt8
    /// 0 universe, 253 link, 254 host.
    package var scope: UInt8 = 0
    /// `IFA_F_…`, from the 32-bit attribute where the kernel sends it.
    package var flags: UInt32 = 0
    /// Seconds that it stays preferred; 0 is deprecated, `UInt32.max` for ever.
    package var preferredLifetime: UInt32?

    package init(interfaceIndex: Int32, address: IPAddress, prefixLength: UInt8) {
        self.interfaceIndex = interfaceIndex
        self.address = address
        self.prefixLength = prefixLength
    }
}

extension Address {
    /// The length of `struct ifaddrmsg`.
    static let fixedPart = 8

    /// Reads the payload of RTM_NEWADDR or RTM_DELADDR; offsets in errors count from its start.
    ///
    /// Nil for a family that is neither IPv4 nor IPv6.
    package init?(parsing payload: RawSpan) throws(NetlinkError) {
        guard payload.byteCount >= Self.fixedPart else {
            throw .truncated(what: "address", offset: payload.byteCount)
        }
        let number = try payload.load(UInt8.self, at: 0, of: "address")
        guard let family = AddressFamily(number: Int32(number)) else { return nil }
        let prefixLength = try payload.load(UInt8.self, at: 1, of: "address")
        guard prefixLength <= family.addressBits else { throw .malformed(what: "prefix length", offset: 1) }
        let index = try payload.load(Int32.self, at: 4, of: "address")
        guard index > 0 else { throw .malformed(what: "interface index of an address", offset: 4) }

        var local: IPAddress?
        var address: IPAddress?
        var flags = UInt32(try payload.load(UInt8.self, at: 2, of: "address"))
        var preferredLifetime: UInt32?
        var attributes = AttributeReader(after: Self.fixedPart, of: payload)
        while let attribute = try attributes.next(in: payload) {
            switch attribute.type {
            case IFA_LOCAL: local = try attribute.loadAddress(family, in: payload)
            case IFA_ADDRESS: address = try attribute.loadAddress(family, in: payload)
            case IFA_FLAGS: flags = try attribute.load(UInt32.self, in: payload)
            case IFA_CACHEINFO: preferredLifetime = try attribute.load(UInt32.self, in: payload)
            default: break
            }
        }
        guard let own = local ?? address else {
            throw .malformed(what: "address message without an address", offset: 0)
        }
        self.init(interfaceIndex: index, address: own, prefixLength: prefixLength)
        scope = try payload.load(UInt8.self, at: 3, of: "address")
        self.flags = flags
        self.preferredLifetime = preferredLifetime
    }
}
