import CLinux
import Glibc

/// What the kernel reports with a message, in its control messages (cmsg(3)).
package struct ControlMessages: Sendable, Equatable {
    /// When the kernel received or sent it, since the epoch (SCM_TIMESTAMPING, in software).
    package private(set) var timestamp: Duration?
    /// The hops that were left to it when it arrived (IP_TTL in ip(7), IPV6_HOPLIMIT in ipv6(7)).
    package private(set) var hopLimit: UInt8?
    /// The address of this host that it was sent to (IP_PKTINFO, IPV6_PKTINFO).
    package private(set) var destination: IPAddress?
    /// Why it is on the error queue (IP_RECVERR, IPV6_RECVERR).
    package private(set) var error: QueuedError?

    /// Reads what is known, and stops at the first that is malformed.
    package init(parsing bytes: RawSpan) {
        // struct cmsghdr: the length with this header, level, type; then data, padded to eight bytes.
        let header = 16
        var offset = 0
        while bytes.byteCount - offset >= header {
            let length = bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt.self)
            let level = bytes.unsafeLoadUnaligned(fromByteOffset: offset + 8, as: Int32.self)
            let type = bytes.unsafeLoadUnaligned(fromByteOffset: offset + 12, as: Int32.self)
            guard length >= header, length <= bytes.byteCount - offset else { return }
            let data = bytes.extracting(offset + header..<offset + Int(length))
            switch (level, type) {
            case (SOL_SOCKET, SO_TIMESTAMPING): timestamp = Self.timestamp(data) ?? timestamp
            case (Int32(IPPROTO_IP), IP_RECVERR), (Int32(IPPROTO_IPV6), IPV6_RECVERR):
                error = QueuedError(parsing: data) ?? error
            case (Int32(IPPROTO_IP), IP_TTL), (Int32(IPPROTO_IPV6), IPV6_HOPLIMIT):
                hopLimit = Self.hopLimit(data) ?? hopLimit
            case (Int32(IPPROTO_IP), IP_PKTINFO):
                // struct in_pktinfo: the index of the device, the address that a reply would come from, this one.
                destination = Self.address(data, 8..<12) ?? destination
            case (Int32(IPPROTO_IPV6), IPV6_PKTINFO):
                // struct in6_pktinfo: this address, the index of the device.
                destination = Self.address(data, 0..<16) ?? destination
            default: break
            }
            offset += (Int(length) + 7) & ~7
        }
    }

    private static func hopLimit(_ bytes: RawSpan) -> UInt8? {
        guard bytes.byteCount >= 4 else { return nil }
        return UInt8(exactly: bytes.unsafeLoadUnaligned(fromByteOffset: 0, as: Int32.self))
    }

    private static func address(_ bytes: RawSpan, _ place: Range<Int>) -> IPAddress? {
        guard bytes.byteCount >= place.upperBound else { return nil }
        return IPAddress(bytes: bytes.extracting(place).withUnsafeBytes { Array($0) })
    }

    /// `struct scm_timestamping`: three of `struct timespec`, the first taken in software.
    private static func timestamp(_ bytes: RawSpan) -> Duration? {
        guard bytes.byteCount >= 16 else { return nil }
        let seconds = bytes.unsafeLoadUnaligned(fromByteOffset: 0, as: Int64.self)
        let nanoseconds = bytes.unsafeLoadUnaligned(fromByteOffset: 8, as: Int64.self)
        guard seconds > 0, (0..<1_000_000_000).contains(nanoseconds) else { return nil }
        return .seconds(seconds) + .nanoseconds(nanoseconds)
    }
}

/// `struct sock_extended_err`: why a message is on the error queue.
package struct QueuedError: Sendable, Equatable {
    package enum Origin: Sendable, Equatable {
        /// An ICMP error: the message holds what it quotes of ours.
        case icmp
        /// No error: the moment at which a message of ours left.
        case timestamp
        case other
    }

    package let origin: Origin
    /// The errno of the error.
    package let code: Int32
    /// Of the ICMP message.
    package let icmpType: UInt8
    package let icmpCode: UInt8
    /// The MTU of the next hop with EMSGSIZE, 0 where the router did not say it.
    package let info: UInt32
    /// Which message left: they are counted from 0 (SOF_TIMESTAMPING_OPT_ID).
    package let key: UInt32
    /// Who sent the ICMP error (SO_EE_OFFENDER).
    package let sender: IPAddress?

    /// - Returns: nil for too few bytes.
    init?(parsing bytes: RawSpan) {
        guard bytes.byteCount >= 16 else { return nil }
        code = Int32(truncatingIfNeeded: bytes.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt32.self))
        origin =
            switch Int32(bytes.unsafeLoadUnaligned(fromByteOffset: 4, as: UInt8.self)) {
            case SO_EE_ORIGIN_ICMP, SO_EE_ORIGIN_ICMP6: .icmp
            case SO_EE_ORIGIN_TIMESTAMPING: .timestamp
            default: .other
            }
        icmpType = bytes.unsafeLoadUnaligned(fromByteOffset: 5, as: UInt8.self)
        icmpCode = bytes.unsafeLoadUnaligned(fromByteOffset: 6, as: UInt8.self)
        info = bytes.unsafeLoadUnaligned(fromByteOffset: 8, as: UInt32.self)
        key = bytes.unsafeLoadUnaligned(fromByteOffset: 12, as: UInt32.self)
        let address = bytes.extracting(droppingFirst: 16)
        sender = address.withUnsafeBytes { SocketAddress(copying: $0.baseAddress, length: $0.count)?.ip }
    }
}
