package import NetworkPath
package import Posix

/// What the configuration says about one uplink: its name, and how it is recognised.
package struct UplinkRule: Sendable, Equatable {
    package var name: String
    /// nil: none is named.
    package var provider: String?
    package var match = UplinkMatch()
    /// nil: as for a path over it.
    package var isExpensive: Bool?
    /// Between two probes while it is not in use, at least a minute where it is expensive; 0: none, and no outage; nil: a minute, 15
    /// minutes where it is expensive.
    package var standbyInterval: Duration?
    /// What its contract promises; empty: as for the line.
    package var plan = SpeedPlan()

    package init(_ name: String) { self.name = name }

    /// Whether the uplink of a measurement is this one, in a tunnel the one below it.
    ///
    /// A measurement has neither the network nor the public address: see `SpeedTestReport.uplinkName`.
    package func matches(_ uplink: Uplink) -> Bool {
        guard !match.isOfMoment else { return false }
        if let interface = match.interface, !Glob.matches(uplink.label, interface) { return false }
        guard let gateway = match.gateway else { return true }
        return uplink.underlay == nil && uplink.gateway.flatMap(IPAddress.withoutZone) == gateway
    }

    /// Whether a way out is this uplink; nil: not known.
    ///
    /// `answers`: the public addresses over it; nil: not known.
    func matches(_ way: WayOut, _ answers: PublicAddresses?) -> Bool? {
        match.recognizes(
            way.interface.name,
            way.interface.type,
            routers: way.routers.values.compactMap(\.self),
            ssid: way.ssid,
            isInRange: match.publicAddress.flatMap { answers?.areIn($0) }
        )
    }
}

/// What is configured about all uplinks.
package struct UplinkPlan: Sendable, Equatable {
    package var rules: [UplinkRule] = []
    /// The addresses that answer for the internet; empty: nothing is probed.
    package var addresses: [SocketAddress] = []

    package init(rules: [UplinkRule] = [], addresses: [SocketAddress] = []) {
        (self.rules, self.addresses) = (rules, addresses)
    }

    package static let (interval, expensiveInterval) = (Duration.seconds(60), Duration.seconds(900))
    package static let (leastInterval, leastExpensiveInterval) = (Duration.seconds(1), Duration.seconds(60))
}

/// Why an uplink is not probed while it is not in use.
package enum UplinkObstacle: Sendable, Hashable, CaseIterable {
    case kernel(WayOut.Obstacle)
    /// A tunnel is in use: a probe beside it would show this host's address to the hosts that are asked.
    case tunnel
    /// It is for low data use.
    case constrained
    /// `standby_interval` is 0, or the internet is not checked at all.
    case disabled
    /// What it is recognised by is not known.
    case unrecognized
    /// The device has no default route, or no carrier.
    case absent

    package static let allCases: [UplinkObstacle] =
        WayOut.Obstacle.allCases.map { .kernel($0) } + [.tunnel, .constrained, .disabled, .unrecognized, .absent]

    /// The word of the API.
    package var word: String {
        switch self {
        case .kernel(let obstacle): obstacle.rawValue
        case .tunnel: "tunnel"
        case .constrained: "constrained"
        case .disabled: "disabled"
        case .unrecognized: "unrecognized"
        case .absent: "absent"
        }
    }

    /// Why it is not known whether the uplink works, and what to do, in a sentence without a full stop at its end.
    package var explanation: String {
        switch self {
        case .kernel(.noRoute):
            "The kernel has no route for a socket that is bound to it: add a routing rule by source address or by oif"
        case .kernel(.reversePathFilter):
            "Strict reverse path filtering would drop the answers: set rp_filter of the device and of all to 2 or 0"
        case .kernel(.secondRouter): "Another router on the same device has the better route"
        case .tunnel: "A probe beside the tunnel in use would show this host's address: name the uplink to allow that"
        case .constrained: "It is marked for low data use"
        case .disabled: "Its probes are switched off"
        case .unrecognized:
            "What it is recognised by is not known now: the public address is known of the uplink in use only, an SSID where the driver reports it"
        case .absent: "No default route leads over it, or its link has no carrier"
        }
    }
}

/// How the path uses an uplink.
package enum UplinkUse: Sendable, Equatable {
    case standby
    /// All traffic leaves here: what is known about the internet is known about it.
    case alone
    /// The path uses others, too: next hops of one route, one device for each family, or a tunnel above it.
    case shared
}
