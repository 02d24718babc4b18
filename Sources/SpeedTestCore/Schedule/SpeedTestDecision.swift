package import FoundationEssentials

/// What the scheduler says when it is asked.
package enum SpeedTestDecision: Sendable, Equatable {
    /// Nothing is due; ask again then, or when the conditions have changed.
    case wait(until: Date)
    case run(latencyOnly: Bool)
    /// To be counted; then ask again.
    case skip(SkipReason)
}
