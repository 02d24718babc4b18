/// When tests are due.
package struct SpeedTestSchedule: Sendable, Equatable {
    /// What gives the due times.
    package enum Rhythm: Sendable, Equatable {
        /// Exponential gaps, clamped at both ends: whoever looks for a pattern finds none (M-Lab asks for it).
        case memoryless(mean: Duration, min: Duration, max: Duration)
        /// A grid, which a late run does not move.
        case interval(Duration)
        /// Times on the wall's clock.
        case cron(CronExpression)
    }

    package var rhythm: Rhythm = .memoryless(mean: .seconds(21_600), min: .seconds(2160), max: .seconds(54_000))
    /// The most that chance adds to the times of intervals and cron, to the first one, and where a window opens.
    package var jitter: Duration = .seconds(300)
    /// The least time from one start to the next scheduled one.
    package var minGap: Duration = .seconds(600)
    /// Where tests may start; none: always.
    package var windows: [WeeklyWindow] = []

    package init() {}
}
