import NetworkHealth
import PrometheusExposition
import SpeedTestCore
import Statistics

/// How good the network is, and what it is good enough for.
enum QualityMetrics {
    /// `assessment`: nil before the first path has settled; then nothing is known and nothing printed.
    static func quality(_ assessment: QualityAssessment?) -> [MetricFamily] {
        [
            .stateSet(
                "network_health_quality",
                help:
                    "The quality of the network: measured while there is a fresh speed test of this uplink, else estimated.",
                label: "quality",
                active: assessment?.quality
            ),
            .gauge(
                "network_health_quality_level",
                help: "The quality as a number: 0 offline, 1 poor, 2 moderate, 3 good, 4 excellent.",
                value: assessment?.quality.level
            ),
            .gauge(
                "network_health_quality_measured",
                help: "Whether the quality is measured by a fresh speed test of this uplink, in the background.",
                value: assessment.map { $0.source == .measured }
            ),
        ]
    }

    static func requirements(_ satisfied: [RequirementEvaluator.Satisfied]) -> [MetricFamily] {
        [
            .gauge(
                "network_health_requirement_satisfied",
                help: "Whether a requirement is met, as /health answers.",
                samples: satisfied.map { Sample(labels: ["requirement": $0.requirement.name], $0.isSatisfied) }
            ),
            .gauge(
                "network_health_requirement_min_bytes_per_second",
                help: "The lowest measured speed that meets a requirement; absent for one that needs none.",
                samples: satisfied.flatMap { minimums(of: $0.requirement) }
            ),
        ]
    }

    private static func minimums(of requirement: Requirement) -> [Sample] {
        let minimums: [(Direction, Double)] = [
            (.download, requirement.downloadMinimum), (.upload, requirement.uploadMinimum),
        ]
        return minimums.filter { $0.1 > 0 }.map { direction, bitsPerSecond in
            Sample(
                labels: ["requirement": requirement.name, "direction": direction.rawValue],
                BitRate(bitsPerSecond: bitsPerSecond).bytesPerSecond
            )
        }
    }
}
