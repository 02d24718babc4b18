package import Posix

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
