import NetworkHealth
import NetworkPath
import PrometheusExposition

/// Whether this host is connected, why not, and at what cost.
enum ConnectivityMetrics {
    /// Before the first complete evaluation nothing is known and nothing printed.
    static func families(_ state: HealthState?) -> [MetricFamily] {
        guard let state else { return [] }
        let path = state.path
        return verdict(isOnline: state.isOnline, isConnected: state.status.isConnected) + [
            .gauge(
                "network_health_expensive",
                help:
                    "Whether the path, or the underlying interface of a tunnel, is metered; absent where that is unknown, as in a container.",
                value: path.knownExpensive
            ),
            .gauge(
                "network_health_constrained",
                help: "Whether data saving is requested on this path; absent where that is unknown, as in a container.",
                value: path.knownConstrained
            ),
            .stateSet(
                "network_health_path_status",
                help: "The status of the path: 1 for the current one.",
                label: "status",
                active: state.status
            ),
            .stateSet(
                "network_health_path_unsatisfied_reason",
                help: "Why the path is not satisfied: 1 for the current reason, all 0 while connected.",
                label: "reason",
                active: path.unsatisfiedReason
            ),
            .stateSet(
                "network_health_interface_type",
                help: "The type of the interface that carries traffic; for a tunnel, of its underlying interface.",
                label: "interface_type",
                active: path.interface == nil ? nil : state.connectionType
            ),
        ]
    }

    /// Whether this host is online and connected, now or at some time.
    static func verdict(isOnline: Bool?, isConnected: Bool) -> [MetricFamily] {
        [
            .gauge(
                "network_health_online",
                help:
                    "Whether the network is usable: a satisfied path, and an internet behind it where the internet is probed.",
                value: isOnline
            ),
            .gauge(
                "network_health_connected",
                help: "Whether the kernel has a route over a usable link.",
                value: isConnected
            ),
        ]
    }
}
