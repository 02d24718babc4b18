import Probing
import StrictYAML

/// The key `gateway`: the target that watches the router of the path without a configuration.
struct GatewaySection: Sendable, Equatable {
    /// nil: not in a container, and not on a point-to-point link.
    var isEnabled: Bool?
    var interval = Duration.seconds(10)

    static var keys: [YAMLKey<GatewaySection>] {
        [
            .key("enabled", \.isEnabled, .keyword("auto", or: .bool)),
            .key("interval", \.interval, .duration(in: .milliseconds(100) ... .seconds(86_400))),
        ]
    }

    /// The target; nil where it is disabled.
    var target: Target? {
        isEnabled == false ? nil : .gateway(every: interval, isAutomatic: isEnabled == nil)
    }
}

extension Configuration {
    /// The configured targets, and the router's, unless a configured one has its name.
    var allTargets: [Target] {
        let configured = targets.all
        guard let gateway = gateway.target, !configured.contains(where: { $0.name == gateway.name }) else {
            return configured
        }
        return configured + [gateway]
    }
}
