import NetworkHealth
import PrometheusExposition

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
                samples: satisfied.map { Sample(labels: ["requirement": $0.requirement], $0.isSatisfied) }
            )
        ]
    }
}
