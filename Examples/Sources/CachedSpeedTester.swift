import NetworkHealth

/// Caches the result of another tester, since a speed test costs time and data.
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
    /// A caller during a test waits for its result: two tests at the same time would halve each other's speed. A
    /// cancelled caller does not end the test, since other callers may be waiting for it.
    func measureSpeed() async throws -> SpeedTestResult {
        // Not the wall clock, which can be set.
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
            // A failure is not cached, unless another caller has started a new test meanwhile.
            if measurement?.task == task { measurement = nil }
            throw error
        }
    }
}

/// Asks a tester that has just measured.
func measureFromCache(with tester: CachedSpeedTester) async throws {
    let start = ContinuousClock.now
    let result = try await tester.measureSpeed()
    let time = start.duration(to: .now)
    try expect(time < .seconds(1), "what is in the cache is there at once, but this took \(time)")
    print("cache: \(Int(result.downloadSpeedMbps)) Mbit/s down, without a test")
}
