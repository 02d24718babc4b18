import FoundationEssentials
import SpeedTestCore

/// What is known of one server: its last test, and of each value the last good one.
struct ServerResults: Sendable, Equatable {
    /// A value and when it was measured.
    struct Good<Value: Sendable & Equatable>: Sendable, Equatable {
        var value: Value
        var at: Date
    }

    private(set) var last: SpeedTestRecord
    private(set) var lastSuccess: Date?
    private(set) var ping: Good<SpeedTestDocument.Ping>?
    private(set) var transfers: [Direction: Good<SpeedTestDocument.Transfer>] = [:]

    init(_ record: SpeedTestRecord) {
        last = record
        add(record)
    }

    /// Takes a later test in; what it did not measure stays.
    mutating func add(_ record: SpeedTestRecord) {
        last = record
        let end = record.endedAt
        if record.failure == nil { lastSuccess = end }
        if let new = record.document.ping { ping = Good(value: new, at: end) }
        for direction in Direction.allCases {
            if let new = record.document[direction] { transfers[direction] = Good(value: new, at: end) }
        }
    }

    /// Without the values that are older than that date.
    func dropping(before date: Date) -> ServerResults {
        var results = self
        if let ping, ping.at < date { results.ping = nil }
        results.transfers = transfers.filter { $0.value.at >= date }
        return results
    }
}
