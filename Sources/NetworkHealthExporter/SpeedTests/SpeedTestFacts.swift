import FoundationEssentials
import SpeedTestCore

/// What the metrics tell of speed tests at one moment.
struct SpeedTestFacts: Sendable, Equatable {
    struct Server: Sendable, Equatable {
        var name: String
        var dialect: String
        var host: String
        /// Empty while nobody has told.
        var congestionControl: String
    }

    /// Of the three periods that a budget has.
    struct BudgetBytes: Sendable, Equatable {
        var run: UInt64
        var day: UInt64
        var month: UInt64
    }

    /// The results of one server.
    struct Results: Sendable, Equatable {
        var server: String
        var results: ServerResults
    }

    var servers: [Server]
    var isRunning: Bool
    /// Seconds.
    var staleAfter: Double?
    var nextRun: Date?
    /// In the order of the configuration.
    var results: [Results]
    var counters: SpeedTestCounters
    /// The running test's included.
    var traffic: TrafficAccount.Bytes
    var budget: BudgetBytes
    var remaining: BudgetBytes
}
