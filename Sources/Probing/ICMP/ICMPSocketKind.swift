import Glibc
import Posix

/// The two sockets that can send echoes, the better one first.
enum ICMPSocketKind: Sendable, Hashable, CaseIterable {
    /// For whoever `net.ipv4.ping_group_range` names (icmp(7)); the kernel keeps foreign replies away.
    case datagram
    /// With CAP_NET_RAW; every socket gets every reply.
    case raw

    var method: ProbeMethod { self == .datagram ? .icmpDatagram : .icmpRaw }

    /// A socket of this kind, set up as far as the kernel allows.
    func open(
        _ family: AddressFamily,
        device: String?,
        with openSocket: SocketOpener
    ) throws(SystemError) -> Descriptor {
        let number = Int32(family == .ipv4 ? IPPROTO_ICMP : IPPROTO_ICMPV6)
        let descriptor = try openSocket(family.number, self == .datagram ? SocketType.datagram : SocketType.raw, number)
        if let device { try descriptor.restrict(toDevice: device) }
        // Without these there are fewer facts, and pings all the same.
        switch family {
        case .ipv4: try? descriptor.setOption(Int32(IPPROTO_IP), IP_RECVERR, to: 1)
        case .ipv6: try? descriptor.setOption(Int32(IPPROTO_IPV6), IPV6_RECVERR, to: 1)
        }
        try? descriptor.setTimestamps(true)
        // A message takes 768 bytes of it, and so does each stamp; the kernel limits this to rmem_max.
        try? descriptor.setOption(SOL_SOCKET, SO_RCVBUF, to: 1 << 20)
        if self == .raw { Self.keepOnlyReplies(descriptor, family) }
        return descriptor
    }

    /// Errors come over the error queue, so that the raw socket itself needs nothing but echo replies.
    private static func keepOnlyReplies(_ descriptor: borrowing Descriptor, _ family: AddressFamily) {
        // A bit that is set keeps the messages of its type out (ICMP_FILTER in raw(7), ICMPV6_FILTER in RFC 3542).
        var blocked = [UInt32](repeating: .max, count: family == .ipv4 ? 1 : 8)
        let reply = Int(EchoFormat(family).reply)
        blocked[reply / 32] &= ~(1 << UInt32(reply % 32))
        let level = family == .ipv4 ? Int32(IPPROTO_RAW) : Int32(IPPROTO_ICMPV6)
        _ = setsockopt(descriptor.number, level, 1, &blocked, socklen_t(blocked.count * 4))
    }
}
