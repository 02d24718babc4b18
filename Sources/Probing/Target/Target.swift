package import Posix

/// A named host or service whose reachability and latency are monitored.
package struct Target: Sendable, Equatable {
    /// Unique among the targets.
    package var name: String
    /// Host, `host:port`, URL, or `_gateway`, as the probe needs it.
    package var address: String
    /// What is asked, and how.
    @AnyProbe package var probe: any Probe
    package var interval: Duration = .seconds(10)
    package var timeout: Duration
    /// nil: in the order of the resolver.
    package var family: AddressFamily?
    /// The device to bind to; nil: the kernel chooses.
    package var interface: String?
    /// The target's own labels, for `target_info`.
    package var labels: [String: String] = [:]
    /// nil: `targets_on_expensive` applies.
    package var onExpensive: CostRule?
    /// nil: skip.
    package var onConstrained: CostRule?
    /// Whether its latency and loss are those of the network, which those of the router never are; nil: where its address
    /// is global.
    package var countsForLatency: Bool?

    /// A target with the default interval and the default timeout of its kind of probe.
    package init(name: String, address: String, probe: any Probe) {
        self.name = name
        self.address = address
        _probe = AnyProbe(wrappedValue: probe)
        timeout = type(of: probe).defaultTimeout
    }

    /// The kind of its probe: the value of the label `module`.
    package var module: String { type(of: probe).module }
    /// The reasons for which its probes can fail.
    package var failures: Set<ProbeFailure> { type(of: probe).failures }
    package var measuresRoundTrip: Bool { type(of: probe).measuresRoundTrip }

    /// The address that means the router of the path.
    package static let gatewayAddress = "_gateway"
    /// The name in requests of the exporter's own: no configured target has it, so that a late reply counts for no target.
    package static let noName = ""
    package var isGateway: Bool { address == Self.gatewayAddress }
}

/// How a target is probed on an expensive or constrained path.
package enum CostRule: String, Sendable, CaseIterable {
    case run
    /// At ten times its interval.
    case slow
    case skip
}

/// A probe of any kind that can be compared: two are equal if their kinds and their options are.
@propertyWrapper
package struct AnyProbe: Sendable, Equatable {
    package var wrappedValue: any Probe

    package init(wrappedValue: any Probe) { self.wrappedValue = wrappedValue }

    package static func == (one: Self, other: Self) -> Bool {
        func isEqual<Kind: Probe>(_ probe: Kind) -> Bool { probe == other.wrappedValue as? Kind }
        return isEqual(one.wrappedValue)
    }
}

/// Whether a target is probed on the current path: the stricter of the rules that apply.
package enum CostDecision: Sendable, Equatable {
    case run
    /// At ten times its interval.
    case slow
    case skip(SkipReason)

    /// Why a probe was left out: the closed list of the label `reason`.
    package enum SkipReason: String, Sendable, CaseIterable {
        case expensive, constrained
    }

    /// - Parameters:
    ///   - target: its rules go before the general one.
    ///   - onExpensive: `targets_on_expensive`.
    ///   - context: the path. Offline targets are probed, and fail.
    package init(_ target: Target, onExpensive: CostRule, in context: ProbeContext) {
        let constrained = context.isConstrained ? target.onConstrained ?? .skip : .run
        let expensive = context.isExpensive ? target.onExpensive ?? onExpensive : .run
        self =
            switch (constrained, expensive) {
            case (.skip, _): .skip(.constrained)
            case (_, .skip): .skip(.expensive)
            case (.slow, _), (_, .slow): .slow
            case (.run, .run): .run
            }
    }

    /// The time between two probes; skipped ones are counted at the usual interval.
    package func interval(of target: Target) -> Duration {
        self == .slow ? target.interval * 10 : target.interval
    }
}

extension Target {
    /// The other texts that mean the same address: a URL with and without the slash of an empty path, and with the scheme that
    /// blackbox_exporter adds.
    package static func spellings(ofAddress text: String) -> Set<String> {
        guard let scheme = text.firstRange(of: "://") else {
            return spellings(ofAddress: "http://\(text)").union([text])
        }
        let rest = text[scheme.upperBound...]
        if !rest.contains(where: { "/?#".contains($0) }) { return [text, "\(text)/"] }
        return rest.firstIndex(of: "/") == rest.indices.last ? [text, String(text.dropLast())] : [text]
    }
}
