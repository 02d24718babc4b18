/// How many bytes tests may move, in both directions together.
package struct SpeedTestBudget: Sendable, Equatable {
    package var perRun: UInt64 = 500_000_000
    package var perDay: UInt64 = 4_000_000_000
    package var perMonth: UInt64 = 60_000_000_000
    /// The day on which a month of the books begins, 1…28: every month has it.
    package var resetDay = 1

    package init() {}

    /// What a run will cost: as much as the last one on this uplink, all that it may where none is known.
    ///
    /// - Parameter lastRun: Its bytes, nil where none is known.
    /// - Returns: Never more than a fresh day or month has: a run that went a little over its limit would be the last.
    package func estimate(lastRun: UInt64?) -> UInt64 {
        min(lastRun ?? perRun, perRun, perDay, perMonth)
    }

    /// What each direction of a run may move, its warm-up and latency probes included.
    ///
    /// Two directions get half each; what a download leaves over may be shared out again for the upload alone.
    package func shares(of remaining: UInt64, directions: [Direction]) -> [Direction: UInt64] {
        let run = min(remaining, perRun)
        let wanted = Set(directions)
        let download = wanted.contains(.upload) ? run / 2 : run
        var shares: [Direction: UInt64] = [:]
        if wanted.contains(.download) { shares[.download] = download }
        if wanted.contains(.upload) { shares[.upload] = wanted.contains(.download) ? run - download : run }
        return shares
    }

    /// What the warm-up may use of a share, so that something is left to measure with.
    package static func warmUp(of share: UInt64) -> UInt64 { share / 3 }
}

/// What is written down as used while a run uses it, so that a process that dies has counted too much rather than too little.
///
/// Stored when the run starts and whenever `extend` says so; when it ends, the ledger is charged with what was used and the
/// lease removed, in one transaction. A lease found at the start of the process belongs to a run that died: charge `reserved`.
package struct BudgetLease: Sendable, Equatable, Codable {
    /// What the run may use in all.
    package let limit: UInt64
    /// What counts as used should the process die now.
    package private(set) var reserved: UInt64

    /// Ahead of a rate that is not known yet: what 1 Gbit/s moves while it is looked at twice, and more.
    private static let minAhead: UInt64 = 32_000_000
    /// Reserved ahead, in seconds at the present rate.
    private static let secondsAhead = 3.0

    /// The first instalment of a run.
    ///
    /// - Parameters:
    ///   - limit: What the run may use in all: the sum of its shares.
    ///   - expectedRate: The last result on this uplink, in bytes a second, of the faster direction; nil: not known.
    package init(limit: UInt64, expectedRate: Double? = nil) {
        self.limit = limit
        reserved = min(limit, Self.ahead(expectedRate ?? 0))
    }

    /// Says whether more must be written down now; ask at least every 100 ms.
    ///
    /// - Parameters:
    ///   - used: Bytes of the run so far, both directions.
    ///   - bytesPerSecond: The rate of the last second.
    /// - Returns: True: `reserved` has grown, store the lease before anything else.
    package mutating func extend(used: UInt64, bytesPerSecond: Double) -> Bool {
        let ahead = Self.ahead(bytesPerSecond)
        // Half of it may be used up before the next instalment, so that one is written every other second.
        let needed = min(limit, used.addingSaturated(ahead / 2))
        // A run that went over its limit has used what it has used.
        guard reserved < max(needed, used) else { return false }
        reserved = max(min(limit, used.addingSaturated(ahead)), used)
        return true
    }

    private static func ahead(_ rate: Double) -> UInt64 {
        // A quarter of UInt64's range is more than any limit.
        guard rate > 0 else { return minAhead }
        return max(minAhead, UInt64(min(rate * secondsAhead, 0x1p62)))
    }
}

extension UInt64 {
    /// The sum, or the largest number where that is larger.
    func addingSaturated(_ other: UInt64) -> UInt64 {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}
