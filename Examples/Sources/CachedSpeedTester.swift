import NetworkHealth

/// Keeps what another tester measured, since a speed test costs time and data.
actor CachedSpeedTester: SpeedTester {
    private let tester: any SpeedTester
    private let validity: Duration
    private var measurement: (task: Task<SpeedTestResult, any Error>, start: ContinuousClock.Instant)?

    init(_ tester: some SpeedTester, validity: Duration) {
        self.tester = tester
        self.validity = validity
    }

    /// The last result while it is valid, else a new one.
    ///
    /// Who asks while a test runs waits for that one: two at the same time would halve each other's speed. For the same
    /// reason a caller that is cancelled does not end the test, which others may wait for.
    func measureSpeed() async throws -> SpeedTestResult {
        // Not the time of day, which somebody may set.
        let now = ContinuousClock.now
        if let measurement, now < measurement.start + validity {
            return try await measurement.task.value
        }
        let tester = tester
        let task = Task { try await tester.measureSpeed() }
        measurement = (task, now)
        do {
            return try await task.value
        } catch {
            // A failure is nothing to keep, unless somebody has started anew meanwhile.
            if measurement?.task == task { measurement = nil }
            throw error
        }
    }
}

/// Asks a tester that has measured a moment ago.
func measureFromCache(with tester: CachedSpeedTester) async throws {
    let start = ContinuousClock.now
    let result = try await tester.measureSpeed()
    let time = start.duration(to: .now)
    try expect(time < .seconds(1), "what is in the cache is there at once, but this took \(time)")
    print("cache: \(Int(result.downloadSpeedMbps)) Mbit/s down, without a test")
}
