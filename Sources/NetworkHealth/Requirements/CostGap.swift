import NetworkPath

/// Why the cost of the path is unknown, where it is.
package enum CostGap: Sendable {
    /// On a host, for at most 10 s after the start or after NetworkManager has gone; any other cost of its devices is known, or assumed.
    case awaitsNetworkManager
    /// In a container: the exporter of the host is configured and does not answer.
    case silentHost
    /// In a container: the exporter of the host is not configured, or does not know it.
    case noSource

    package init(_ state: HealthState?, isHostSilent: Bool) {
        if state?.path.viewpoint == .host {
            self = .awaitsNetworkManager
        } else {
            self = isHostSilent ? .silentHost : .noSource
        }
    }

    /// What the user can do, in a sentence without a full stop at its end: the recommendation of `HealthReason.costUnknown`.
    package var recommendation: String {
        switch self {
        case .awaitsNetworkManager:
            "NetworkManager has not answered yet, so that the cost of this connection is unknown. Try again in 10 s"
        case .silentHost:
            "The exporter of the host does not answer, so that the cost of this connection is unknown. Check it, and --host.url"
        case .noSource: HealthReason.costUnknown.recommendation(on: .unknown)
        }
    }
}
