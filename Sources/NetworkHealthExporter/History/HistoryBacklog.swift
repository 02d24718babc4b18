import NetworkHealth
import Storage

/// Rows that are to be written, the oldest first.
struct HistoryBacklog: Sendable, Equatable {
    /// Of each kind; past it the oldest are given up.
    static let limit = 1000

    private(set) var transitions: [Transition] = []
    private(set) var minutes: [MinuteLatency] = []

    init(transitions: [Transition] = [], minutes: [MinuteLatency] = []) {
        (self.transitions, self.minutes) = (transitions, minutes)
    }

    var isEmpty: Bool { transitions.isEmpty && minutes.isEmpty }

    /// Adds later ones.
    mutating func append(_ later: HistoryBacklog) {
        transitions = (transitions + later.transitions).suffix(Self.limit)
        minutes = (minutes + later.minutes).suffix(Self.limit)
    }

    func write(in transaction: borrowing Transaction) throws(StorageError) {
        try TransitionHistory.add(transitions, in: transaction)
        try LatencyHistory.add(minutes, in: transaction)
    }
}
