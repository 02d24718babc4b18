import PrometheusExposition
import SpeedTestCore
import Statistics

/// What the contract promises, and how the tests compare with it.
enum PlanMetrics {
    struct Facts: Sendable, Equatable {
        var plan: PlanSection
        var results: [SpeedTestResults.Values]
        var confirmations: [PlanRule.Confirmation: UInt64]
    }

    /// Nothing without a plan.
    static func families(_ facts: Facts) -> [MetricFamily] {
        guard facts.plan != PlanSection() else { return [] }
        return [
            .gauge(
                "network_health_plan_bytes_per_second",
                help:
                    "Speeds that the contract of the line promises, by the configuration; uplink is empty for every uplink.",
                samples: Direction.allCases.flatMap { direction in
                    PlanSection.Level.allCases.compactMap { level in
                        facts.plan[direction][level].map { rate in
                            Sample(
                                labels: [
                                    "uplink": facts.plan.uplink, "direction": direction.rawValue,
                                    "level": level.rawValue,
                                ],
                                rate.bytesPerSecond
                            )
                        }
                    }
                }
            ),
            .gauge(
                "network_health_speedtest_plan_ratio",
                help: "The last good speed as a share of the plan's normal speed.",
                samples: facts.results.filter { facts.plan.covers($0.label) }.flatMap { values in
                    Direction.allCases.compactMap { direction in
                        guard let normal = facts.plan[direction][.normal], let rate = values.rates[direction] else {
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
