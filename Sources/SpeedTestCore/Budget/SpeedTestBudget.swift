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
