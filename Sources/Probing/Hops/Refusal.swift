package import Posix

/// An ICMP error that came back for a packet of a probe, and who sent it.
///
/// The kernel keeps it in the socket's error queue (`IP_RECVERR`, `IPV6_RECVERR`; ip(7), ipv6(7)).
package struct Refusal: Sendable, Hashable {
    /// What the error says about the packet.
    package enum Meaning: Sendable, Hashable {
        /// The sender has no route, or its next hop does not answer: ICMP 3/0, 3/1, ICMPv6 1/0, 1/3.
        case noRoute
        /// A rule of the sender forbids the packet: ICMP 3/9, 3/10, 3/13, ICMPv6 1/1, 1/5, 1/6, and 3/3 or 1/4 from a hop.
        case rejected
        /// Its TTL ended at the sender: ICMP 11/0, ICMPv6 3/0.
        case timeExceeded
        /// It does not fit into the sender's next link: ICMP 3/4, ICMPv6 2/0.
        case tooBig
        /// The destination itself has no such port: ICMP 3/3, ICMPv6 1/4, sent by the destination.
        case noPort
    }

    /// The address that the error came from.
    package var sender: IPAddress
    /// Where the packet was sent to.
    package var destination: IPAddress
    package var type: UInt8
    package var code: UInt8
    /// How many hops the sender is away, by the TTL that its error had left: 1 is the router of this host; nil: unknown.
    package var distance: Int?
    package var at: ContinuousClock.Instant

    package init(
        sender: IPAddress,
        destination: IPAddress,
        type: UInt8,
        code: UInt8,
        distance: Int?,
        at: ContinuousClock.Instant
    ) {
        self.sender = sender
        self.destination = destination
        self.type = type
        self.code = code
        self.distance = distance
        self.at = at
    }

    /// Nil for a type and code that says nothing about the way.
    package var meaning: Meaning? {
        let isFromDestination = sender == destination
        return switch (sender.family, type, code) {
        case (.ipv4, 3, 0), (.ipv4, 3, 1), (.ipv6, 1, 0), (.ipv6, 1, 3): .noRoute
        case (.ipv4, 3, 9), (.ipv4, 3, 10), (.ipv4, 3, 13), (.ipv6, 1, 1), (.ipv6, 1, 5), (.ipv6, 1, 6): .rejected
        case (.ipv4, 3, 3), (.ipv6, 1, 4): isFromDestination ? .noPort : .rejected
        case (.ipv4, 3, 4), (.ipv6, 2, 0): .tooBig
        case (.ipv4, 11, 0), (.ipv6, 3, 0): .timeExceeded
        default: nil
        }
    }
}
