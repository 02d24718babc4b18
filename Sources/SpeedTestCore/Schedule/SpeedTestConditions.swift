package import FoundationEssentials

/// What a test would find now.
package struct SpeedTestConditions: Sendable, Equatable {
    package var isOnline = true
    package var isExpensive = false
    package var isConstrained = false
    package var isBusy = false
    /// A test runs in this process.
    package var isRunning = false
    /// What a run will cost: `SpeedTestBudget.estimate(lastRun:)`.
    package var estimatedBytes: UInt64 = 0
    /// What a run may cost: `BudgetLedger.remaining(_:at:).run`.
    package var remainingBytes: UInt64 = .max
    package var onExpensive = SpeedTestCostRule.skip
    package var onConstrained = SpeedTestCostRule.skip
    package var whenBusy = BusyRule.defer

    package init() {}

    /// A run measures the latency only.
    package var isLatencyOnly: Bool {
        isExpensive && onExpensive == .latencyOnly || isConstrained && onConstrained == .latencyOnly
    }

    /// What holds whoever asks for the test; a latency-only one needs no more than some budget.
    var refusal: SkipReason? {
        if isRunning { return .running }
        if !isOnline { return .offline }
        if isExpensive && onExpensive == .skip { return .expensive }
        if isConstrained && onConstrained == .skip { return .constrained }
        let needed = isLatencyOnly ? 1 : max(estimatedBytes, 1)
        return needed > remainingBytes ? .budget : nil
    }
}

/// What a test does on a path that costs.
package enum SpeedTestCostRule: String, Sendable, CaseIterable {
    case skip
    case latencyOnly = "latency_only"
    case run
}

/// What a scheduled test does while others use the link.
package enum BusyRule: String, Sendable, CaseIterable {
    /// Looks again every minute.
    case `defer`
    case skip
    case run
}

/// What the scheduler says when it is asked.
package enum SpeedTestDecision: Sendable, Equatable {
    /// Nothing is due; ask again then, or when the conditions have changed.
    case wait(until: Date)
    case run(latencyOnly: Bool)
    /// To be counted; then ask again.
    case skip(SkipReason)
}

/// Why a test that was due, or asked for, does not run.
package enum SkipReason: String, Sendable, CaseIterable {
    case offline, expensive, constrained, budget
    /// What it would use cannot be written down first.
    case storage
    /// Asked only after the window had closed: the machine slept, or was offline.
    case window
    case busy, running
    /// Too soon after the run before.
    case gap
}
