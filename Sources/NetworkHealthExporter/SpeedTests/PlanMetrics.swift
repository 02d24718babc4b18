import NetworkHealth
import PrometheusExposition
import SpeedTestCore
import Statistics

/// What the contract promises, and how the tests compare with it.
enum PlanMetrics {
    struct Facts: Sendable, Equatable {
        var plans: Plans
        var results: [SpeedTestResults.Values]
        var confirmations: [PlanRule.Confirmation: UInt64]
    }

    /// Nothing without a plan.
    static func families(_ facts: Facts) -> [MetricFamily] {
        guard !facts.plans.named.isEmpty else { return [] }
        return [
            .gauge(
                "network_health_plan_bytes_per_second",
                help:
                    "Speeds that a contract promises, by the configuration; uplink is a name of uplinks, the device of plan, or empty for every other uplink.",
                samples: facts.plans.named.flatMap { uplink, speeds in
                    Direction.allCases.flatMap { direction in
                        SpeedPlan.Level.allCases.compactMap { level in
                            speeds[direction][level].map { rate in
                                Sample(
                                    labels: [
                                        "uplink": uplink, "direction": direction.rawValue, "level": level.rawValue,
                                    ],
                                    rate.bytesPerSecond
                                )
                            }
                        }
                    }
                }
            ),
            .gauge(
                "network_health_speedtest_plan_ratio",
                help: "The last good speed as a share of the plan's normal speed.",
                samples: facts.results.flatMap { values in
                    Direction.allCases.compactMap { direction in
                        guard let normal = facts.plans[values.last][direction][.normal],
                            let rate = values.rates[direction]
                        else {
                            return nil
                        }
                        return Sample(
                            labels: [
                                "server": values.last.server, "uplink": values.label, "direction": direction.rawValue,
                            ],
                            (rate.bitsPerSecond / normal.bitsPerSecond).toFiveDigits
                        )
                    }
                }
            ),
            .counter(
                "network_health_speedtest_confirmations_total",
                help:
                    "Speeds below the plan that neither this host, its port nor other traffic explains, by what a second test said, on another server where there is one.",
                samples: PlanRule.Confirmation.allCases.map {
                    Sample(labels: ["result": $0.rawValue], facts.confirmations[$0, default: 0])
                }
            ),
        ]
    }
}
