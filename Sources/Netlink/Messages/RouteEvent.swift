import CLinux

/// A change that a multicast message of rtnetlink reports.
package enum RouteEvent: Sendable, Equatable {
    /// A device appeared, or its state is now this.
    case link(Link)
    case linkDeleted(index: Int32)
    /// An address appeared, or its flags or lifetimes are now these.
    case address(Address)
    case addressDeleted(Address)
    /// A route was added or replaced one; many ways of losing an IPv4 route are announced only by what caused them.
    case route(Route)
    case routeDeleted(Route)
    /// Policy routing rules changed.
    case rule
    /// A next hop object changed; its routes may be gone without a message.
    case nexthop
    /// A router announced something for user space (RFC 8106 DNS servers, RFC 8910 portal).
    case ndUserOption(NeighbourOption)
    /// A message that the joined groups should not send.
    case other(type: Int)

    /// Nil for a message to ignore: see `Link.init(parsing:)`, and routes that are not configured.
    package init?(_ message: Message, payload: RawSpan) throws(NetlinkError) {
        switch message.type {
        case RTM_NEWLINK:
            guard let link = try Link(parsing: payload) else { return nil }
            self = .link(link)
        case RTM_DELLINK:
            guard let index = try Link.index(parsing: payload) else { return nil }
            self = .linkDeleted(index: index)
        case RTM_NEWADDR, RTM_DELADDR:
            guard let address = try Address(parsing: payload) else { return nil }
            self = message.type == RTM_NEWADDR ? .address(address) : .addressDeleted(address)
        case RTM_NEWROUTE, RTM_DELROUTE:
            guard let route = try Route(parsing: payload), route.isConfigured else { return nil }
            self = message.type == RTM_NEWROUTE ? .route(route) : .routeDeleted(route)
        case RTM_NEWRULE, RTM_DELRULE: self = .rule
        case RTM_NEWNEXTHOP, RTM_DELNEXTHOP: self = .nexthop
        case RTM_NEWNDUSEROPT:
            guard let option = try NeighbourOption(parsing: payload) else { return nil }
            self = .ndUserOption(option)
        default: self = .other(type: message.type)
        }
    }
}

/// Runs every parser over bytes as if the kernel had sent them, for the fuzzer: they may throw and must not trap.
///
/// - Returns: whether any of them accepted a message.
package func fuzzNetlink(_ bytes: RawSpan) -> Bool {
    var reader = MessageReader()
    var isAccepted = false
    while let message = try? reader.next(in: bytes) {
        let payload = bytes.extracting(message.payload)
        _ = try? KernelAnswer(message, payload: payload)
        // With each parser, so that a changed type in the header hides nothing.
        let hasFacts = [
            (try? RouteEvent(message, payload: payload)) != nil, (try? Link(parsing: payload)) != nil,
            (try? Address(parsing: payload)) != nil, (try? Route(parsing: payload)) != nil,
            (try? TCPFlow(parsing: payload)) != nil, (try? NeighbourOption(parsing: payload)) != nil,
            (try? LinkModes(parsing: payload))?.maxSpeed != nil,
            (try? WirelessStation(parsing: payload)).map { $0 != WirelessStation() } ?? false,
            (try? WirelessInterface(parsing: payload)).map { $0 != WirelessInterface() } ?? false,
        ]
        isAccepted = isAccepted || hasFacts.contains(true)
    }
    return isAccepted
}

/// Reads bytes as the option by which a router announces a portal, for the fuzzer; a URI that is not https traps.
///
/// - Returns: whether it was accepted.
package func fuzzPortalOption(_ bytes: [UInt8]) -> Bool {
    switch NeighbourOption(interfaceIndex: 7, type: 37, bytes: bytes).portal {
    case .portal(let uri):
        precondition(uri.lowercased().hasPrefix("https://") && !uri.utf8.contains(0))
        return true
    case .unrestricted: return true
    case nil: return false
    }
}
