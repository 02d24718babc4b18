package import FoundationEssentials

/// How often runs may follow each other so that the budget lasts until the month ends, with a run left.
package struct BudgetPace: Sendable, Equatable {
    /// The mean gap of runs, in seconds.
    package var meanGap: TimeInterval = 0
    /// This month has no run to spare: the next one comes after `reset`.
    package var isSpent = false
    /// When the next month begins.
    package var reset = Date.distantFuture

    package init() {}

    /// Whether it is slower than a rhythm's gaps.
    func stretches(_ meanGap: TimeInterval) -> Bool { isSpent || self.meanGap > meanGap }
}

extension BudgetLedger {
    /// The pace from a date on.
    ///
    /// - Parameters:
    ///   - budget: Its limit of a month.
    ///   - run: The expected bytes of a run.
    ///   - date: Now.
    /// - Returns: The mean gap that leaves one run at the end of the month.
    package func pace(_ budget: SpeedTestBudget, run: UInt64, at date: Date) -> BudgetPace {
        // One is kept, for a request or for the last days.
        let runs = remaining(budget, at: date).month / max(run, 1)
        // A clock that is not set yet may be years before the day that counts.
        let left = min(max(nextReset(budget, after: date).timeIntervalSince(date), 0), Self.longestMonth)
        var pace = BudgetPace()
        pace.reset = date + left
        if runs > 1 { pace.meanGap = left / Double(runs - 1) } else { pace.isSpent = true }
        return pace
    }

    private static let longestMonth: TimeInterval = 31 * 86_400 + 3600
}
