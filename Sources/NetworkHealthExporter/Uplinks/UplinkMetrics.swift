import NetworkHealth
import PrometheusExposition

/// The ways to the internet.
enum UplinkMetrics {
    /// From the first uplink on.
    static func info(_ uplinks: [UplinkReport]) -> [MetricFamily] {
        [
            .info(
                "network_health_uplink_info",
                help: "The uplinks of this host: devices with a default route, and those that the configuration names.",
                labels: uplinks.filter { $0.device != nil }.map {
                    ["uplink": $0.name, "device": $0.device ?? "", "provider": $0.provider ?? ""]
                }
            )
        ].filter { !$0.isEmpty }
    }

    /// From the second uplink on.
    static func families(_ uplinks: [UplinkReport]) -> [MetricFamily] {
        gauges(uplinks) + counters(uplinks)
    }

    private static func gauges(_ uplinks: [UplinkReport]) -> [MetricFamily] {
        func samples<Value: MetricValueConvertible>(_ value: (UplinkReport) -> Value?) -> [Sample] {
            uplinks.compactMap { uplink in value(uplink).map { Sample(labels: ["uplink": uplink.name], $0) } }
        }
        return [
            .gauge(
                "network_health_uplink_active",
                help: "Whether traffic leaves over the uplink, directly or below a tunnel.",
                samples: samples(\.isActive)
            ),
            .gauge(
                "network_health_uplink_testable",
                help:
                    "Whether it is checked if the uplink works: by the checks of the path, or by probes bound to it, where the kernel has a route for them.",
                samples: samples { $0.obstacle == nil }
            ),
            .gauge(
                "network_health_uplink_online",
                help: "Whether the internet is reached over the uplink; absent where that is not known.",
                samples: samples(\.isOnline)
            ),
            .gauge(
                "network_health_uplink_expensive",
                help: "Whether data over the uplink costs money; absent without a default route over it.",
                samples: samples(\.isExpensive)
            ),
            .gauge(
                "network_health_uplink_latency_seconds",
                help:
                    "Round trip to the internet over the uplink: of the one in use the network's latency, of others the median of the last ten answers to probes.",
                samples: samples { $0.latency.map { $0 / .seconds(1) } }
            ),
            .gauge(
                "network_health_uplink_loss_ratio",
                help:
                    "Packet loss over the uplink: of the one in use the network's loss, of others the share of the last 100 probes; absent below 20.",
                samples: samples(\.lossRatio)
            ),
        ].filter { !$0.isEmpty }
    }

    private static func counters(_ uplinks: [UplinkReport]) -> [MetricFamily] {
        func counter<Value: MetricValueConvertible>(
            _ name: String,
            _ help: String,
            _ value: (UplinkReport) -> Value
        ) -> MetricFamily {
            .counter(
                "network_health_uplink_\(name)_total",
                help: help,
                samples: uplinks.map { Sample(labels: ["uplink": $0.name], value($0)) }
            )
        }
        return [
            counter("outages", "Number of outages of the uplink, whether it was in use or not.", \.outages),
            counter("offline_seconds", "Time in which the uplink did not reach the internet.") {
                $0.offline / .seconds(1)
            },
            counter("active_seconds", "Time in which traffic left over the uplink.") { $0.active / .seconds(1) },
            switches(uplinks),
        ]
    }

    /// Of the only uplink, once one was seen.
    static func switchesInside(_ uplinks: [UplinkReport]) -> [MetricFamily] {
        uplinks.contains { !$0.switchesInside.isEmpty } ? [switches(uplinks)] : []
    }

    private static func switches(_ uplinks: [UplinkReport]) -> MetricFamily {
        .counter(
            "network_health_uplink_switches_total",
            help:
                "Number of times that the path was switched to this uplink from another one (source route), or that the way behind its router changed: its first router (hop) or the public address (address), which a provider may change as well.",
            samples: uplinks.flatMap { uplink in
                UplinkSwitchSource.allCases.map { source in
                    let count = source == .route ? uplink.switches : uplink.switchesInside[source, default: 0]
                    return Sample(labels: ["uplink": uplink.name, "source": source.rawValue], count)
                }
            }
        )
    }
}
