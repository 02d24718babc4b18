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
