package import FoundationEssentials

/// The conditions for a test at one moment.
package struct SpeedTestConditions: Sendable, Equatable {
    package var isOnline = true
    /// nil: the cost of the path is unknown, and the rule for expensive paths applies.
    package var isExpensive: Bool? = false
    package var isConstrained = false
    package var isBusy = false
    /// A test runs in this process.
    package var isRunning = false
    /// The expected bytes of a run: `SpeedTestBudget.estimate(lastRun:)`.
    package var estimatedBytes: UInt64 = 0
    /// The maximum bytes of a run: `BudgetLedger.remaining(_:at:).run`.
    package var remainingBytes: UInt64 = .max
    /// How often the rest of the month's budget allows a run.
    package var pace = BudgetPace()
    package var onExpensive = SpeedTestCostRule.skip
    package var onConstrained = SpeedTestCostRule.skip
    package var whenBusy = BusyRule.defer

    /// Enough for the idle latency: about 25 small requests or handshakes, with their headers and TLS.
    private static let latencyBytes: UInt64 = 100_000

    package init() {}

    /// Only the latency may be measured.
    package var isLatencyOnly: Bool {
        isExpensive != false && onExpensive == .latencyOnly || isConstrained && onConstrained == .latencyOnly
    }

    /// Why no test may run at this moment, scheduled or requested; a latency-only one needs `latencyBytes`.
    ///
    /// Rhythm, windows, `minGap` and a busy link have no part in it: they may forbid a test as well.
    package var refusal: SpeedTestRefusal? {
        if isRunning { return .running }
        if !isOnline { return .offline }
        if isExpensive != false && onExpensive == .skip { return isExpensive == nil ? .costUnknown : .expensive }
        if isConstrained && onConstrained == .skip { return .constrained }
        let needed = isLatencyOnly ? Self.latencyBytes : max(estimatedBytes, 1)
        return needed > remainingBytes ? .budget : nil
    }
}

/// What happens to a test on an expensive or constrained path.
package enum SpeedTestCostRule: String, Sendable, CaseIterable {
    case skip
    case latencyOnly = "latency_only"
    case run
}

/// What happens to a scheduled test on a busy link.
package enum BusyRule: String, Sendable, CaseIterable {
    /// Waits, and checks again every minute.
    case `defer`
    case skip
    case run
}

/// A decision of the scheduler.
package enum SpeedTestDecision: Sendable, Equatable {
    /// Nothing is due; decide again then, or when the conditions change.
    case wait(until: Date)
    case run(latencyOnly: Bool)
    /// To be counted; then decide again.
    case skip(SkipReason)
}

/// Why a test that was due or requested does not run.
package enum SkipReason: String, Sendable, CaseIterable {
    case offline, expensive
    case costUnknown = "cost_unknown"
    case constrained, budget
    /// The bytes that it would use cannot be stored first.
    case storage
    /// The window was closed when it was decided: the host was suspended or offline.
    case window
    case busy, running
    /// Too soon after the run before.
    case gap
}

/// Why a requested test does not run: the skip reasons that do not belong to the schedule alone.
package enum SpeedTestRefusal: Sendable, CaseIterable {
    case running, offline, expensive, costUnknown, constrained, budget, gap, storage

    package var skipReason: SkipReason {
        switch self {
        case .running: .running
        case .offline: .offline
        case .expensive: .expensive
        case .costUnknown: .costUnknown
        case .constrained: .constrained
        case .budget: .budget
        case .gap: .gap
        case .storage: .storage
        }
    }
}
