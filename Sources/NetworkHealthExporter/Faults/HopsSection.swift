import NetworkPath
import Posix
import Probing
import StrictYAML

/// The key `hops`: which routers on the way are probed, and how often; the name servers are asked where routers are probed.
struct HopsSection: Sendable, Equatable {
    /// Whether probes are sent over such a path.
    enum Rule: String, Sendable, CaseIterable {
        case run, skip
    }

    /// nil: where the internet is probed, and not in a container, where the exporter of the host sees them.
    var isEnabled: Bool?
    var interval = Duration.seconds(300)
    var maxHops = 4
    var onExpensive = Rule.skip
    var onConstrained = Rule.skip
    /// The distance of the provider's first router; nil: the first one with an address that is not private.
    var firstProviderHop: Int?

    static var keys: [YAMLKey<HopsSection>] {
        [
            .key("enabled", \.isEnabled, .keyword("auto", or: .bool)),
            .key("interval", \.interval, .duration(in: .seconds(1) ... .seconds(86_400))),
            .key("max_hops", \.maxHops, .int(in: 1...8)),
            .key("on_expensive", \.onExpensive, .oneOf),
            .key("on_constrained", \.onConstrained, .oneOf),
            .key("first_provider_hop", \.firstProviderHop, .keyword("auto", or: .int(in: HopConfiguration.distances))),
        ]
    }

    /// What the monitor of hops takes; `destinations` are the addresses towards which the probes are sent.
    func configuration(towards destinations: [IPAddress]) -> HopConfiguration {
        var configuration = HopConfiguration()
        configuration.interval = interval
        configuration.maxHops = maxHops
        configuration.firstProviderHop = firstProviderHop
        configuration.runsOnExpensive = onExpensive == .run
        configuration.runsOnConstrained = onConstrained == .run
        configuration.destinations = HopConfiguration.destinations(among: destinations)
        return configuration
    }

    /// What the monitor of name servers takes; `name` is that of a host of the internet checks, which are contacted anyway.
    func resolvers(asking name: String?) -> ResolverPlan {
        var plan = ResolverPlan()
        (plan.interval, plan.name) = (interval, name)
        (plan.runsOnExpensive, plan.runsOnConstrained) = (onExpensive == .run, onConstrained == .run)
        return plan
    }
}

/// What the configuration says about hops.
struct HopSetup {
    /// nil: not in a container, whose host sees them itself.
    private let isEnabled: Bool?
    var probes: HopConfiguration
    var resolvers: ResolverPlan

    init(_ configuration: Configuration) {
        // Without checks of the internet no host there is contacted, unless hops are enabled explicitly.
        isEnabled = configuration.hops.isEnabled ?? (configuration.internet.isEnabled ? nil : false)
        probes = configuration.hops.configuration(
            towards: configuration.internet.configuration.literals.map(\.ip)
        )
        resolvers = configuration.hops.resolvers(asking: configuration.internet.configuration.shortestName)
    }

    /// Whether hops are probed over such a path, whatever it costs.
    func isEnabled(over path: Path) -> Bool { isEnabled ?? (path.viewpoint != .container) }

    /// The addresses towards which probes are sent over a path, or would be if it carried packets.
    func destinations(over path: Path) -> Set<IPAddress> {
        guard isEnabled(over: path), probes.runsOnExpensive || !path.isExpensive,
            probes.runsOnConstrained || !path.isConstrained
        else { return [] }
        return Set(probes.destinations.values)
    }
}
