import SpeedTestCore

/// What has been counted since the start.
struct SpeedTestCounters: Sendable, Equatable {
    /// Tests begun, one a server.
    var runs: UInt64 = 0
    var failures: [SpeedTestFailure.Reason: UInt64] = [:]
    var skipped: [SkipReason: UInt64] = [:]
    /// Of the tests that have ended.
    var traffic = TrafficAccount.Bytes()
}
