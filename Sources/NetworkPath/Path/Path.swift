/// What a program needs to know about the way its packets leave this host: Apple's `NWPath`, for Linux.
///
/// ```swift
/// let path = try monitor.currentPath
/// guard path.status == .satisfied, path.isUnmetered else { return }
/// ```
///
/// It describes routing alone: a satisfied path has a route, a usable link and a source address. Whether the internet can be
/// reached over it is not known here. Two paths are equal when each fact is; ``PathUpdate`` has the times.
public struct Path: Sendable, Equatable {
    /// Whether packets can leave.
    public var status: Status
    /// Why they cannot; nil while satisfied.
    public var unsatisfiedReason: UnsatisfiedReason?
    /// The device that carries the traffic: IPv4's where it works, else IPv6's.
    ///
    /// While the path is unsatisfied it is the device that the kernel would still use, such as one without a carrier.
    public var interface: Interface?
    /// The device that carries IPv4.
    public var ipv4Interface: Interface?
    /// The device that carries IPv6.
    public var ipv6Interface: Interface?
    /// The device below a tunnel, bond, bridge or VLAN (Apple's delegate); nil for hardware, and where it is unknown.
    public var underlay: Interface?
    /// The devices below ``interface``, the next one first, ``underlay`` last.
    package var lowerInterfaces: [Interface] = []
    /// The usable devices with a default route, in the order of preference, the current one first.
    public var availableInterfaces: [Interface] = []
    /// The routers of the usable default routes, the current one first; a link-local IPv6 address carries its zone
    /// (`fe80::1%eth0`).
    public var gateways: [String] = []
    /// Those of ``gateways`` that no packet of this path passes: they belong to devices that could take over.
    package var standbyGateways: [String] = []
    /// The resolvers in effect; upstream servers take the place of a local stub where they are known.
    public var dnsServers: [String] = []
    /// The captive portal that a router on the device, or on the one below it, announces (RFC 8910): the URI of its API
    /// (RFC 8908), always https; nil where none is announced.
    public var captivePortal: String?
    /// Whether IPv4 has a route, a usable link and a source address.
    public var supportsIPv4 = false
    /// Whether IPv6 has a route, a usable link and a source address that is neither link-local nor deprecated.
    public var supportsIPv6 = false
    /// Whether the path is metered, on the device itself or on the one below it; false unless satisfied, and where that is not
    /// known, see ``isCostKnown``.
    public var isExpensive = false
    /// What decided ``isExpensive``.
    public var expensiveSource: CostSource = .assumed
    /// Whether the user marked the path for low data use; nothing else does.
    public var isConstrained = false
    /// What decided ``isConstrained``.
    public var constrainedSource: CostSource = .assumed
    /// NetworkManager's view of the cost of the device, else of the one below it.
    public var metered: MeteredState = .unknown
    /// Where the devices are seen from.
    public var viewpoint: Viewpoint = .host
    /// Whether the route spreads its flows over several next hops.
    public var isMultipath = false
    /// Whether one of several next hops cannot carry traffic: the kernel goes on sending flows there.
    public var isDegraded = false

    /// A path of which only the status is known.
    public init(status: Status, unsatisfiedReason: UnsatisfiedReason? = nil) {
        self.status = status
        self.unsatisfiedReason = unsatisfiedReason
    }

    /// Whether ``isExpensive`` is known: in a container no source may know it, since the devices that cost money are the host's.
    public var isCostKnown: Bool { expensiveSource != .unknown }
    /// Whether data can be used freely: the cost is known, and the path is neither expensive nor constrained.
    public var isUnmetered: Bool { isCostKnown && !isExpensive && !isConstrained }

    /// ``isExpensive``, or nil where the cost is unknown.
    package var knownExpensive: Bool? { isCostKnown ? isExpensive : nil }
    /// ``isConstrained``, or nil where that is unknown.
    package var knownConstrained: Bool? { constrainedSource == .unknown ? nil : isConstrained }

    /// Whether a resolver is configured.
    public var supportsDNS: Bool { !dnsServers.isEmpty }

    /// Whether traffic may pass a device of this type, directly or below a tunnel: a VPN over LTE uses cellular.
    public func usesInterfaceType(_ type: Interface.InterfaceType) -> Bool {
        [interface, ipv4Interface, ipv6Interface, underlay].contains { $0?.type == type }
    }

    /// Whether packets can leave, with the meaning of Apple's `NWPath.Status`.
    public enum Status: String, Sendable, CaseIterable {
        /// There is a usable route.
        case satisfied
        /// There is none.
        case unsatisfied
        /// There is none yet; a connection is being made, or could be made.
        case requiresConnection
    }

    /// Where the network is seen from.
    public enum Viewpoint: String, Sendable, CaseIterable {
        /// The devices are this machine's own.
        case host
        /// The device ends in another network namespace: its underlying interface is not visible here.
        case container
    }
}

extension Path {
    /// The device with the cable or the radio: the one below the path's own, where there is one.
    package var lowestInterface: Interface? { underlay ?? interface }

    /// The devices that packets may leave through: those of both families, and all below.
    package var carriers: [Interface] {
        [interface, ipv4Interface, ipv6Interface, underlay].compactMap(\.self) + lowerInterfaces
    }

    /// The routers of the devices in use, the current one first: none of a modem's line, whatever a standby has.
    package var routersInUse: [String] { gateways.filter { !standbyGateways.contains($0) } }

    /// What carries the packets of a tunnel: the device with the route, such as a bridge over ``underlay``; nil without a tunnel.
    package var tunnelCarrier: Interface? {
        guard interface?.isTunnel == true else { return nil }
        return lowerInterfaces.first { !$0.isTunnel } ?? underlay
    }

    /// Why a path is not satisfied; the raw values are labels of metrics.
    public enum UnsatisfiedReason: String, Sendable, CaseIterable {
        /// The route leads over a device that is down or has no carrier, or through a tunnel over such a device.
        case linkDown = "link_down"
        /// No route, or one without a source address to use.
        case noRoute = "no_route"
        /// The device of the tunnel is down, as without the program behind it, or no device can carry its packets.
        case vpnInactive = "vpn_inactive"
        /// A blackhole, prohibit or unreachable route refuses the traffic, as a VPN's kill switch does.
        case policyDenied = "policy_denied"
        /// A connection is being made.
        case connecting
        /// A modem is there and not connected.
        case cellularInactive = "cellular_inactive"
        /// The Wi-Fi radio is switched off.
        case wifiDenied = "wifi_denied"
        /// The cellular radio is switched off.
        case cellularDenied = "cellular_denied"
        /// Networking is switched off.
        case disabled
    }
}
