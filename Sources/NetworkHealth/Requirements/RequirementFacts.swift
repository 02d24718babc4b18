package import FoundationEssentials
package import Probing

/// Everything that a requirement is judged by, at one instant.
package struct RequirementFacts: Sendable {
    /// nil before the first complete evaluation.
    package var state: HealthState?
    /// How far the internet is; nil: nobody knows.
    package var latency: NetworkLatency?
    /// The targets that are up.
    package var upTargets: Set<String> = []
    package var unmeasured = Requirement.Unmeasured.estimate
    /// Whether a path of which nobody knows what it costs counts as expensive.
    package var deniesUnknownCost = false
    package var date: Date

    package init(state: HealthState?, latency: NetworkLatency? = nil, date: Date) {
        (self.state, self.latency, self.date) = (state, latency, date)
    }
}
