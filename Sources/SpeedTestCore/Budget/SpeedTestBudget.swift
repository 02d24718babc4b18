/// The maximum bytes of tests, both directions together.
package struct SpeedTestBudget: Sendable, Equatable {
    package var perRun: UInt64 = 500_000_000
    package var perDay: UInt64 = 4_000_000_000
    package var perMonth: UInt64 = 20_000_000_000
    /// The day on which the month of the budget begins, 1…28: every month has it.
    package var resetDay = 1

    package init() {}

    /// The expected bytes of a run: those of the last one on this uplink, else its maximum.
    ///
    /// - Parameter lastRun: The bytes of the last run; nil: not known.
    /// - Returns: At most what a fresh day or month has, else a run slightly over its limit would be the last.
    package func estimate(lastRun: UInt64?) -> UInt64 {
        min(lastRun ?? perRun, perRun, perDay, perMonth)
    }

    /// The maximum bytes of each direction of a run, warm-up and latency probes included.
    ///
    /// Two directions get half each.
    package func shares(of remaining: UInt64, directions: [Direction]) -> [Direction: UInt64] {
        let run = min(remaining, perRun)
        let wanted = Set(directions)
        let download = wanted.contains(.upload) ? run / 2 : run
        var shares: [Direction: UInt64] = [:]
        if wanted.contains(.download) { shares[.download] = download }
        if wanted.contains(.upload) { shares[.upload] = wanted.contains(.download) ? run - download : run }
        return shares
    }

    /// What bodies may have of a share: full segments have 52 bytes of headers beside 1448 of payload, and each second one is
    /// answered by 52 bytes.
    package static func payload(of share: UInt64) -> UInt64 { share / 100 * 94 }

    /// The maximum bytes of the warm-up: the rest of the share is for the window.
    package static func warmUp(of share: UInt64) -> UInt64 { share / 3 }
}

/// The bytes that are stored as used before a run uses them, so that a killed process has counted too many, never too
/// few.
///
/// It is stored when the run starts and whenever `extend` returns true; at the end the ledger is charged with the used
/// bytes and the lease removed, in one transaction. A lease at the start of the process belongs to a killed run: charge
/// `reserved`.
package struct BudgetLease: Sendable, Equatable, Codable {
    /// The maximum bytes of the run.
    package let limit: UInt64
    /// The bytes that count as used if the process is killed now.
    package private(set) var reserved: UInt64

    /// Reserved ahead of an unknown rate: more than 1 Gbit/s moves in two checks.
    private static let minAhead: UInt64 = 32_000_000
    /// Seconds at the present rate that are reserved ahead.
    private static let secondsAhead = 3.0

    /// The first reservation of a run.
    ///
    /// - Parameters:
    ///   - limit: The maximum bytes of the run: the sum of its shares.
    ///   - expectedRate: Bytes per second of the faster direction in the last result on this uplink; nil: not known.
    package init(limit: UInt64, expectedRate: Double? = nil) {
        self.limit = limit
        reserved = min(limit, Self.ahead(expectedRate ?? 0))
    }

    /// Reserves more where that is necessary; call it at least every 100 ms.
    ///
    /// - Parameters:
    ///   - used: Bytes of the run so far, both directions.
    ///   - bytesPerSecond: The rate of the last second, both directions.
    /// - Returns: True: `reserved` has grown, so store the lease before anything else.
    package mutating func extend(used: UInt64, bytesPerSecond: Double) -> Bool {
        let ahead = Self.ahead(bytesPerSecond)
        // Half of it may be used before the next reservation, so that one is stored every other second.
        let needed = min(limit, used.addingSaturated(ahead / 2))
        // A run may have exceeded its limit.
        guard reserved < max(needed, used) else { return false }
        reserved = max(min(limit, used.addingSaturated(ahead)), used)
        return true
    }

    private static func ahead(_ rate: Double) -> UInt64 {
        // A quarter of UInt64's range exceeds any limit.
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
