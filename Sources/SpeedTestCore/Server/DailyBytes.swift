/// Bytes of a day, which begins with the first of them and lasts 24 hours, whatever happens to the wall clock.
package struct DailyBytes: Sendable, Equatable {
    private static let day: Duration = .seconds(86_400)

    private var used: UInt64 = 0
    private var end: ContinuousClock.Instant?

    package init() {}

    /// Counts bytes.
    package mutating func add(_ bytes: UInt64, at now: ContinuousClock.Instant) {
        if end.map({ $0 <= now }) ?? true {
            end = now + Self.day
            used = 0
        }
        used = used.addingReportingOverflow(bytes).overflow ? .max : used + bytes
    }

    /// What is left of a limit.
    package func remaining(of limit: UInt64, at now: ContinuousClock.Instant) -> UInt64 {
        guard let end, now < end else { return limit }
        return limit > used ? limit - used : 0
    }

    /// Until all of the limit is there again.
    package func untilNextDay(at now: ContinuousClock.Instant) -> Duration {
        end.map { max(.zero, now.duration(to: $0)) } ?? .zero
    }
}
