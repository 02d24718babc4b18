import CLinux
import Glibc

/// The types of sockets as the numbers that socket(2) takes.
///
/// C's enumeration belongs to whichever module of a build happens to load its header first, so its members are used
/// here, where all of them are imported, and nowhere else.
package enum SocketType {
    /// A TCP connection, or a listener for them.
    package static let stream = Int32(SOCK_STREAM.rawValue)
    /// UDP, and ICMP echoes without a privilege.
    package static let datagram = Int32(SOCK_DGRAM.rawValue)
    /// Netlink datagrams, and ICMP with CAP_NET_RAW.
    package static let raw = Int32(SOCK_RAW.rawValue)
    /// To be added: never blocks, and is closed on exec.
    package static let flags = O_NONBLOCK | O_CLOEXEC
}
