package import FoundationEssentials
import NetworkPath
package import Statistics

/// What is counted beside the state.
package struct HealthAccount: Sendable, Equatable {
    package var outages: OutageTracker
    /// From a path's publication to its being the state.
    package var deliverDelay = DurationHistogram(bounds: PathStatistics.delayBounds)
    /// When the last `Transition` was made; nil before the first change.
    package var lastTransition: Date?
}
