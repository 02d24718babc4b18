/// The time since it was made, on any clock.
package struct Stopwatch: Sendable {
    private let read: @Sendable () -> Duration
    private let wait: @Sendable (Duration) async throws -> Void

    /// Starts it.
    package init(_ clock: some Clock<Duration>) {
        let start = clock.now
        read = { start.duration(to: clock.now) }
        wait = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }

    /// Since it was made.
    package var elapsed: Duration { read() }

    /// Throws when the task is cancelled.
    package func sleep(until time: Duration) async throws { try await wait(time) }
}
