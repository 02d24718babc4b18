import CLinux
import Posix

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
