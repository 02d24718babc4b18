import CLinux

/// A socket that receives an event for each change to links, addresses, routes, rules and next hops of this network
/// namespace, and for each option of a router advertisement that the kernel leaves to user space.
///
/// Join first (`init`), then dump with a `RequestSocket`, then receive: a change in between is seen twice, never missed.
package struct EventSocket: ~Copyable, Sendable {
    private static let groups = [
        RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR, RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE,
        RTNLGRP_IPV4_RULE, RTNLGRP_IPV6_RULE,
    ]
    /// A kernel that refuses these still sends the others: next hop objects came with Linux 5.3.
    private static let optionalGroups = [RTNLGRP_NEXTHOP, RTNLGRP_ND_USEROPT]

    private var socket: NetlinkSocket

    /// Opens the socket and joins the groups; `receiveBuffer` is in bytes.
    package init(receiveBuffer: Int32 = 1 << 20) throws(NetlinkError) {
        let opened = try NetlinkSocket(receiveBuffer: receiveBuffer)
        for group in Self.groups { try opened.join(group: group.rawValue) }
        for group in Self.optionalGroups { try? opened.join(group: group.rawValue) }
        socket = opened
    }

    /// For `poll`, which reports it readable when there is something to receive, an overrun included.
    package var number: Int32 { socket.number }

    /// Receives one datagram, if there is one; false when there was nothing.
    ///
    /// Call it until then. After any error but `.system` the socket works on, but events are lost: first receive until
    /// there is nothing, then dump. An overrun is reported once, and until the socket is empty the kernel drops without
    /// saying so again.
    package mutating func receive(_ body: (RouteEvent) -> Void) throws(NetlinkError) -> Bool {
        try socket.receive { (message, payload) throws(NetlinkError) in
            guard message.type >= RTM_BASE else { return }  // netlink's own: no-operation and the like
            guard let event = try RouteEvent(message, payload: payload) else { return }
            body(event)
        }
    }
}
