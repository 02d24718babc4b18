import CLinux
import Glibc
package import Posix

/// The questions that we ask of sock_diag(7).
extension RequestSocket {
    /// A socket to ask about sockets; `timeout` is how long the kernel may be silent during an answer.
    package static func diagnostics(timeout: Duration = .seconds(1)) throws(NetlinkError) -> RequestSocket {
        try RequestSocket(protocol: NETLINK_SOCK_DIAG, timeout: timeout)
    }

    /// The established TCP connections of one kind of socket, of all users.
    ///
    /// Only those of this network namespace. An IPv6 socket may carry IPv4: its flow says so.
    package mutating func tcpFlows(sockets family: AddressFamily) throws(NetlinkError) -> Dump<TCPFlow> {
        var request = Request(type: Int(SOCK_DIAG_BY_FAMILY), flags: NLM_F_ROOT | NLM_F_MATCH)
        // struct inet_diag_req_v2
        request.append(UInt8(truncatingIfNeeded: family.number))
        request.append(UInt8(truncatingIfNeeded: Int32(IPPROTO_TCP)))
        request.append(UInt8(1 << (INET_DIAG_INFO - 1)))
        request.append(UInt8(0))
        request.append(UInt32(1) << UInt32(TCP_ESTABLISHED))
        // struct inet_diag_sockid: any
        for _ in 0..<12 { request.append(UInt32(0)) }
        return try dump(request) { (message, payload) throws(NetlinkError) in
            guard message.type == Int(SOCK_DIAG_BY_FAMILY) else { throw .unexpected(type: message.type) }
            return try TCPFlow(parsing: payload)
        }
    }
}
