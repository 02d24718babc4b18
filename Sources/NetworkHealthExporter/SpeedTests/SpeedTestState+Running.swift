import SpeedTestCore

extension SpeedTestState {
    /// A test under way.
    struct Running: Sendable {
        var progress: SpeedTestProgress
        var account: TrafficAccount
        /// When each direction was loaded, up to now.
        var loads: [Direction: Range<ContinuousClock.Instant>] = [:]

        mutating func advance(_ progress: SpeedTestProgress, at now: ContinuousClock.Instant) {
            self.progress = progress
            guard let direction = progress.phase.direction else { return }
            let begin = loads[direction]?.lowerBound ?? now
            loads[direction] = begin..<max(begin, now)
        }
    }
}
