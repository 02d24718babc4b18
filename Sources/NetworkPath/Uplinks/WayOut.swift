package import Posix

/// A way to the internet that the kernel has a default route for: a device, and its router of each family.
package struct WayOut: Sendable, Equatable {
    package var interface: Interface
    /// By family; nil: the destination is on the link, as in a tunnel; empty where the device has lost its default routes.
    package var routers: [AddressFamily: IPAddress?]
    /// Whether the link can carry packets.
    package var isUsable: Bool
    /// Whether it is one of several next hops of the route in use, which share the traffic.
    package var isShared: Bool
    /// The name of the Wi-Fi network that the device is in; nil: none, or not known.
    package var ssid: String?
    /// As for a path over it; nil: not known.
    package var isExpensive: Bool?
    package var isConstrained: Bool
    /// What a socket needs so that its packets leave here.
    package var access: Access

    package init(
        interface: Interface,
        routers: [AddressFamily: IPAddress?],
        isUsable: Bool = true,
        isShared: Bool = false,
        ssid: String? = nil,
        isExpensive: Bool? = false,
        isConstrained: Bool = false,
        access: Access
    ) {
        self.interface = interface
        self.routers = routers
        self.isUsable = isUsable
        self.isShared = isShared
        self.ssid = ssid
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
        self.access = access
    }

    /// The first router, IPv4's if there is one: with the device what distinguishes two ways; nil: on the link.
    package var router: IPAddress? { routers[.ipv4]?.flatMap(\.self) ?? routers[.ipv6]?.flatMap(\.self) }

    /// Whether a socket that is bound without a privilege can use it, as the kernel says.
    package enum Access: Sendable, Equatable {
        /// Bound to the device, with these families and to these source addresses; nil: the kernel's choice.
        case bound([AddressFamily: IPAddress?])
        case blocked(Obstacle)
    }

    /// Why no packet can be sent here on purpose, or why its answer would be lost; the raw values are words of the API.
    package enum Obstacle: String, Sendable, CaseIterable {
        /// The kernel has no route for a socket that is bound to the device: only marked packets go there (`fwmark`), or those that arrive
        /// elsewhere (`iif`).
        case noRoute = "no_route"
        /// Reverse path filtering is strict (RFC 3704): the kernel drops answers that arrive here.
        case reversePathFilter = "rp_filter"
        /// Another router on the same device has the better route.
        case secondRouter = "second_router"
    }
}
