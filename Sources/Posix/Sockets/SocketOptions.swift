// Kernel headers bring the constants too, and an optimized build takes them from there.
import CLinux
import Glibc

/// Options of a TCP socket, set and read.
package enum SocketOptions {
    /// Binds it to a device (SO_BINDTODEVICE), once; unprivileged since Linux 5.7.
    ///
    /// - Returns: 0, or the errno: ENODEV where there is no such device, EPERM where the kernel wants CAP_NET_RAW.
    package static func bind(_ socket: Int32, toDevice name: String) -> Int32 {
        // The kernel cuts a longer name, which might then be another device's.
        guard name.utf8.count < NetworkDevice.nameSize else { return ENODEV }
        return set(socket, SOL_SOCKET, SO_BINDTODEVICE, name)
    }

    /// Chooses its congestion control (TCP_CONGESTION), such as `bbr`.
    ///
    /// - Returns: 0, or the errno: ENOENT where the kernel has none of that name.
    package static func setCongestionControl(_ socket: Int32, _ name: String) -> Int32 {
        set(socket, Int32(IPPROTO_TCP), TCP_CONGESTION, name)
    }

    /// The kernel's smoothed round trip of a TCP connection; see ``TCPStatistics/smoothedRoundTrip``.
    package static func roundTrip(of socket: Int32) -> Duration? { TCPStatistics(of: socket)?.smoothedRoundTrip }

    private static func set(_ socket: Int32, _ level: Int32, _ option: Int32, _ name: String) -> Int32 {
        var bytes = Array(name.utf8)
        return setsockopt(socket, level, option, &bytes, socklen_t(bytes.count)) == 0 ? 0 : errno
    }
}

extension TCPStatistics {
    /// tcpi_rtt, at first the round trip of the handshake.
    ///
    /// nil before there was one, as after a SYN that was repeated and answered without a time stamp (RFC 7323).
    package var smoothedRoundTrip: Duration? {
        roundTrip > 0 ? .microseconds(Int64(clamping: roundTrip)) : nil
    }
}

extension SocketOptions {
    /// Distinguishes a socket from earlier and later ones with its number (SO_COOKIE, Linux 4.12); nil: no socket.
    package static func cookie(of socket: Int32) -> UInt64? {
        var (cookie, length) = (UInt64(0), socklen_t(MemoryLayout<UInt64>.size))
        return getsockopt(socket, SOL_SOCKET, SO_COOKIE, &cookie, &length) == 0 ? cookie : nil
    }

    /// The congestion control that a TCP socket uses, such as `cubic`; nil where the kernel does not report it.
    package static func congestionControl(of socket: Int32) -> String? {
        // TCP_CA_NAME_MAX.
        var name = [UInt8](repeating: 0, count: 16)
        var length = socklen_t(name.count)
        guard getsockopt(socket, Int32(IPPROTO_TCP), TCP_CONGESTION, &name, &length) == 0 else { return nil }
        return String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Has a TCP socket send small writes at once, without Nagle's algorithm (TCP_NODELAY).
    package static func sendAtOnce(_ socket: Int32) {
        var on: Int32 = 1
        _ = setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Keeps a sender from handing the kernel more than so many bytes beyond those on their way (TCP_NOTSENT_LOWAT).
    ///
    /// - Returns: 0, or the errno.
    @discardableResult
    package static func setUnsentLimit(_ socket: Int32, _ bytes: Int32) -> Int32 {
        var bytes = bytes
        let size = socklen_t(MemoryLayout<Int32>.size)
        return setsockopt(socket, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &bytes, size) == 0 ? 0 : errno
    }

    /// Limits the payload of segments in both directions (TCP_MAXSEG): the other side is asked to in the handshake.
    package static func setMaximumSegment(_ socket: Int32, _ bytes: Int32) {
        var bytes = bytes
        _ = setsockopt(socket, Int32(IPPROTO_TCP), TCP_MAXSEG, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Has the close drop what has not been sent yet, with a reset (SO_LINGER).
    package static func dropUnsentOnClose(_ socket: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        _ = setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
}

extension SocketOptions {
    /// Has the kernel keep the ICMP errors that come back for a socket's packets in its error queue, each with the hops that were
    /// left to it and the address that it came to, or forget them (ip(7), ipv6(7)).
    ///
    /// A UDP socket without it learns of closed ports alone. TCP has it since Linux 5.9; there it goes off once the connection
    /// stands, since each error of a router would end it.
    ///
    /// - Returns: 0, or the errno.
    @discardableResult
    package static func setRouterErrors(_ socket: Int32, _ isOn: Bool, _ family: AddressFamily) -> Int32 {
        let (level, options) =
            switch family {
            case .ipv4: (Int32(IPPROTO_IP), [IP_RECVERR, IP_RECVTTL, IP_PKTINFO])
            case .ipv6: (Int32(IPPROTO_IPV6), [IPV6_RECVERR, IPV6_RECVHOPLIMIT, IPV6_RECVPKTINFO])
            }
        for option in options {
            var value: Int32 = isOn ? 1 : 0
            let size = socklen_t(MemoryLayout<Int32>.size)
            guard setsockopt(socket, level, option, &value, size) == 0 else { return errno }
        }
        return 0
    }

    /// Chooses how many hops a socket's next packets can pass (IP_TTL, IPV6_UNICAST_HOPS).
    ///
    /// - Returns: 0, or the errno.
    package static func setHopLimit(_ socket: Int32, _ hops: UInt8, _ family: AddressFamily) -> Int32 {
        var value = Int32(hops)
        let size = socklen_t(MemoryLayout<Int32>.size)
        let isSet =
            switch family {
            case .ipv4: setsockopt(socket, Int32(IPPROTO_IP), IP_TTL, &value, size)
            case .ipv6: setsockopt(socket, Int32(IPPROTO_IPV6), IPV6_UNICAST_HOPS, &value, size)
            }
        return isSet == 0 ? 0 : errno
    }
}
