package import FoundationEssentials

/// How often runs may follow each other so that the budget lasts until the month ends, with a run left.
package struct BudgetPace: Sendable, Equatable {
    /// The mean gap of runs, in seconds.
    package var meanGap: TimeInterval = 0
    /// The first moment of the next month, where this month has no run to spare.
    package var earliest: Date?

    package init() {}

    /// Whether it is slower than a rhythm's gaps.
    func stretches(_ meanGap: TimeInterval) -> Bool { earliest != nil || self.meanGap > meanGap }
}

extension BudgetLedger {
    /// The pace from a date on.
    ///
    /// - Parameters:
    ///   - budget: Its limit of a month.
    ///   - run: The expected bytes of a run.
    ///   - isStarting: A run starts now, whose bytes are not charged yet.
    ///   - date: Now.
    /// - Returns: The mean gap; or, without a run to spare, the beginning of the next month.
    package func pace(_ budget: SpeedTestBudget, run: UInt64, isStarting: Bool = false, at date: Date) -> BudgetPace {
        var pace = BudgetPace()
        let run = max(run, 1)
        let runs = remaining(budget, at: date).month / run
        // One is kept, for a request or for the last days.
        let kept: UInt64 = isStarting ? 2 : 1
        // A clock that is not set yet may be years before the day that counts.
        let left = min(max(nextReset(budget, after: date).timeIntervalSince(date), 0), Self.longestMonth)
        if runs > kept { pace.meanGap = left / Double(runs - kept) } else { pace.earliest = date + left }
        return pace
    }

    private static let longestMonth: TimeInterval = 31 * 86_400 + 3600
}
