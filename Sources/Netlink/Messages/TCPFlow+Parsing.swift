import CLinux
import Posix

extension TCPFlow {
    /// The length of `struct inet_diag_msg`.
    static let fixedPart = 72

    /// Reads the payload of an answer to SOCK_DIAG_BY_FAMILY; offsets in errors count from its start.
    ///
    /// Nil for a family that is neither IPv4 nor IPv6.
    package init?(parsing payload: RawSpan) throws(NetlinkError) {
        guard payload.byteCount >= Self.fixedPart else { throw .truncated(what: "socket", offset: payload.byteCount) }
        let number = try payload.load(UInt8.self, at: 0, of: "socket")
        guard let family = AddressFamily(number: Int32(number)) else { return nil }
        self.init(
            // Two words, the lower first, whatever the byte order.
            cookie: UInt64(try payload.load(UInt32.self, at: 44, of: "socket"))
                | UInt64(try payload.load(UInt32.self, at: 48, of: "socket")) << 32,
            local: try Self.address(at: 8, family, in: payload),
            localPort: UInt16(bigEndian: try payload.load(UInt16.self, at: 4, of: "socket")),
            remote: try Self.address(at: 24, family, in: payload),
            remotePort: UInt16(bigEndian: try payload.load(UInt16.self, at: 6, of: "socket"))
        )
        uid = try payload.load(UInt32.self, at: 64, of: "socket")
        inode = try payload.load(UInt32.self, at: 68, of: "socket")
        var attributes = AttributeReader(after: Self.fixedPart, of: payload)
        while let attribute = try attributes.next(in: payload) {
            if attribute.type == INET_DIAG_INFO { try readCounters(attribute, in: payload) }
        }
    }

    /// Both families' addresses lie in 16 bytes in network order.
    private static func address(
        at offset: Int,
        _ family: AddressFamily,
        in payload: RawSpan
    ) throws(NetlinkError) -> IPAddress {
        let bytes = try payload.bytes(offset..<offset + Int(family.addressBits) / 8, of: "socket")
        guard let address = IPAddress(bytes: bytes) else { throw .malformed(what: "socket", offset: offset) }
        return address.mappedIPv4 ?? address
    }

    /// `struct tcp_info`, which has grown over the years: each field is there if it lies within the attribute.
    private mutating func readCounters(_ attribute: Attribute, in payload: RawSpan) throws(NetlinkError) {
        func field(at offset: Int) throws(NetlinkError) -> UInt32? {
            guard attribute.payload.count >= offset + 4 else { return nil }
            return try attribute.load(UInt32.self, at: offset, in: payload)
        }
        lastReceive = try field(at: 56).map { .milliseconds($0) }
        // Before the first measurement the one is 0 and the other all ones.
        rtt = try field(at: 68).flatMap { $0 == 0 ? nil : .microseconds($0) }
        minRTT = try field(at: 148).flatMap { $0 == .max ? nil : .microseconds($0) }
        retransmitted = try field(at: 100)
        segmentsOut = try field(at: 136)
        segmentsIn = try field(at: 140)
    }
}
