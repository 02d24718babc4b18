import SpeedTestCore
import Statistics

/// What was counted since the start.
struct SpeedTestCounters: Sendable, Equatable {
    /// Tests that began, one for each server.
    var runs: UInt64 = 0
    var failures: [SpeedTestFailure.Reason: UInt64] = [:]
    var skipped: [SkipReason: UInt64] = [:]
    /// Of speeds below the plan.
    var confirmations: [PlanRule.Confirmation: UInt64] = [:]
    /// Of the tests that have ended.
    var traffic = ByteCounts()
}

/// The bytes that tests have used and those reserved for the running one, as they are stored.
struct BudgetAccount: Codable, Sendable, Equatable {
    var ledger = BudgetLedger()
    /// Stored before they are used, so that a killed process leaves none uncounted; nil while no test runs.
    var reserved: UInt64?
}
