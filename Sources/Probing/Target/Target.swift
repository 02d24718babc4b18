package import Netlink

/// A named thing whose reachability and latency are watched.
package struct Target: Sendable, Equatable {
    /// Unique among the targets.
    package var name: String
    /// Host, `host:port`, URL, or `_gateway`, as the module wants it.
    package var address: String
    package var options: TargetOptions
    package var interval: Duration = .seconds(10)
    package var timeout: Duration = .seconds(2)
    /// nil: the resolver's order decides.
    package var family: AddressFamily?
    /// Bound to this device; nil: the kernel chooses.
    package var interface: String?
    /// The target's own labels, for `target_info`.
    package var labels: [String: String] = [:]
    /// nil: as `targets_on_expensive` says.
    package var onExpensive: CostRule?
    /// nil: skip.
    package var onConstrained: CostRule?

    package init(name: String, address: String, options: TargetOptions) {
        self.name = name
        self.address = address
        self.options = options
    }

    package var module: TargetModule { options.module }

    /// The address that stands for the path's router.
    package static let gatewayAddress = "_gateway"
    package var isGateway: Bool { address == Self.gatewayAddress }
}

/// What a target does on a path that costs money, or where data is to be saved.
package enum CostRule: String, Sendable, CaseIterable {
    case run
    /// At ten times its interval.
    case slow
    case skip
}

/// The kinds of probes; the raw values are labels and words of the configuration.
package enum TargetModule: String, Sendable, CaseIterable {
    case icmp, tcp, dns, http, graphql
}

/// What a target's turn costs on the path of this moment: the stricter of the rules that apply.
package enum CostDecision: Sendable, Equatable {
    case run
    /// At ten times its interval.
    case slow
    case skip(SkipReason)

    /// Why a turn was left out: the closed list of the label `reason`.
    package enum SkipReason: String, Sendable, CaseIterable {
        case expensive, constrained
    }

    /// - Parameters:
    ///   - target: whose rules go before the general one.
    ///   - onExpensive: `targets_on_expensive`.
    ///   - surroundings: the path. Being offline is no reason: the target is probed, and fails.
    package init(_ target: Target, onExpensive: CostRule, in surroundings: ProbeSurroundings) {
        let constrained = surroundings.isConstrained ? target.onConstrained ?? .skip : .run
        let expensive = surroundings.isExpensive ? target.onExpensive ?? onExpensive : .run
        self =
            switch (constrained, expensive) {
            case (.skip, _): .skip(.constrained)
            case (_, .skip): .skip(.expensive)
            case (.slow, _), (_, .slow): .slow
            case (.run, .run): .run
            }
    }

    /// How far apart the turns are; a skipped one is counted at its usual pace.
    package func interval(of target: Target) -> Duration {
        self == .slow ? target.interval * 10 : target.interval
    }
}
