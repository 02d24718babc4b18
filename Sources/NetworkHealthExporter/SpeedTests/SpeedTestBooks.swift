import SpeedTestCore

/// The budget's books with what the running test has been lent, as they are kept on disk.
struct SpeedTestBooks: Codable, Sendable, Equatable {
    var ledger = BudgetLedger()
    /// Bytes written down before they are used, so that a process that is killed leaves none uncounted; nil while no test runs.
    var lent: UInt64?
}
