import NetworkHealth
import NetworkPath
import PrometheusExposition

/// Which way traffic goes, and which source decided whether it is expensive or constrained.
enum PathMetrics {
    static func families(_ state: HealthState?) -> [MetricFamily] {
        guard let state else { return [] }
        let path = state.path
        let perFamily = [("ipv4", path.ipv4Interface), ("ipv6", path.ipv6Interface)]
        return [
            .info(
                "network_health_interface_info",
                help:
                    "The interface that carries traffic, and the underlying interface of a tunnel, bond, bridge or VLAN.",
                labels: path.interface.map { interface in
                    [
                        "device": interface.name,
                        "interface_type": ConnectionType(interface.type).rawValue,
                        "underlay": path.underlay?.name ?? "",
                        "underlay_type": path.underlay.map { ConnectionType($0.type).rawValue } ?? "",
                        "viewpoint": path.viewpoint.rawValue,
                    ]
                }
            ),
            .info(
                "network_health_path_info",
                help: "The interface that carries each address family.",
                labels: perFamily.compactMap { family, interface in
                    interface.map { ["family": family, "device": $0.name] }
                }
            ),
            .stateSet(
                "network_health_networkmanager_metered",
                help: "The metered state that NetworkManager reports for the path's device: 1 for the current state.",
                label: "state",
                active: path.metered
            ),
            .info(
                "network_health_expensive_source_info",
                help: "Which rule or fact decided whether the path is expensive.",
                labels: ["source": path.expensiveSource.rawValue]
            ),
            .info(
                "network_health_constrained_source_info",
                help: "Which rule or fact decided whether the path is constrained.",
                labels: ["source": path.constrainedSource.rawValue]
            ),
            .gauge(
                "network_health_path_supports",
                help: "Whether the path carries IPv4, IPv6, and has a DNS server configured.",
                samples: [
                    Sample(labels: ["capability": "ipv4"], path.supportsIPv4),
                    Sample(labels: ["capability": "ipv6"], path.supportsIPv6),
                    Sample(labels: ["capability": "dns"], path.supportsDNS),
                ]
            ),
        ]
    }
}
