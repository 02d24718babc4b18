import CLinux
package import Posix

/// An established TCP connection as sock_diag(7) describes it, with what its TCP_INFO counts.
///
/// A member that the kernel is too old to report is nil. The counters wrap at 2³².
package struct TCPFlow: Sendable, Equatable {
    /// The kernel's own number of the socket, in this network namespace never given twice.
    package var cookie: UInt64
    package var local: IPAddress
    package var localPort: UInt16
    /// The peer; an IPv4-mapped one as the IPv4 address that it is.
    package var remote: IPAddress
    package var remotePort: UInt16
    /// What procfs calls `socket:[…]`; 0 while no process has accepted it.
    package var inode: UInt32 = 0
    /// The socket's owner.
    package var uid: UInt32 = 0
    /// Smoothed (`tcpi_rtt`); nil before the first measurement.
    package var rtt: Duration?
    /// The minimum of the last minutes, five by default (`tcpi_min_rtt`, `tcp_min_rtt_wlen`).
    package var minRTT: Duration?
    /// Segments received (`tcpi_segs_in`, Linux 4.2).
    package var segmentsIn: UInt32?
    /// Segments sent (`tcpi_segs_out`, Linux 4.2), retransmissions included.
    package var segmentsOut: UInt32?
    /// Segments sent again (`tcpi_total_retrans`).
    package var retransmitted: UInt32?
    /// How often the oldest segment without an answer was sent again after its timeout (`tcpi_retransmits`); 0: all are
    /// answered, or were sent once.
    package var timeouts: UInt8 = 0
    /// When `timeouts` is not 0, how long ago that segment was sent first; nil where that is not known.
    package var unansweredFor: Duration?
    /// How long ago the peer last acknowledged something (`tcpi_last_ack_recv`), and so how fresh `rtt` is.
    package var lastReceive: Duration?

    package init(cookie: UInt64, local: IPAddress, localPort: UInt16, remote: IPAddress, remotePort: UInt16) {
        self.cookie = cookie
        self.local = local
        self.localPort = localPort
        self.remote = remote
        self.remotePort = remotePort
    }

    /// In which family its packets travel.
    package var family: AddressFamily { remote.family }
}

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
        try readTimeouts(attribute, in: payload)
        lastReceive = try field(at: 56).map { .milliseconds($0) }
        // Before the first measurement the one is 0 and the other all ones.
        rtt = try field(at: 68).flatMap { $0 == 0 ? nil : .microseconds($0) }
        minRTT = try field(at: 148).flatMap { $0 == .max ? nil : .microseconds($0) }
        retransmitted = try field(at: 100)
        segmentsOut = try field(at: 136)
        segmentsIn = try field(at: 140)
    }

    /// TCP_RTO_MAX of include/net/tcp.h in the kernel.
    private static let longestTimeout = Duration.seconds(120)

    /// Each timeout doubled the next one (RFC 6298 5.5): those that passed add up to the current one less its first value.
    ///
    /// Once they are as long as possible, their number is not known.
    private mutating func readTimeouts(_ attribute: Attribute, in payload: RawSpan) throws(NetlinkError) {
        guard attribute.payload.count >= 48 else { return }
        timeouts = try attribute.load(UInt8.self, at: 2, in: payload)
        guard timeouts > 0 else { return }
        let current = Duration.microseconds(try attribute.load(UInt32.self, at: 8, in: payload))
        guard current < Self.longestTimeout else { return }
        let lastSent = Duration.milliseconds(try attribute.load(UInt32.self, at: 44, in: payload))
        unansweredFor = lastSent + current - current / (1 << min(timeouts, 30))
    }
}
