/// Any clock, told in the instants of verdicts.
struct Timeline: Sendable {
    typealias Instant = SuspendingClock.Instant

    let now: @Sendable () -> Instant
    private let sleeping: @Sendable (Duration) async throws -> Void

    init(_ clock: some Clock<Duration>) {
        let (origin, start) = (SuspendingClock().now, clock.now)
        now = { origin.advanced(by: start.duration(to: clock.now)) }
        sleeping = { try await clock.sleep(for: $0) }
    }

    /// Throws when the task is cancelled.
    func sleep(for duration: Duration) async throws { try await sleeping(duration) }

    /// Throws when the task is cancelled.
    func sleep(until instant: Instant) async throws { try await sleeping(now().duration(to: instant)) }
}
