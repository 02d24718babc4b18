import NetworkHealth
import Statistics

/// The faults of now, and for how long there was which: a value.
struct FaultBoard: Sendable {
    private var locator = FaultLocator()
    private(set) var faults: [Fault] = []
    /// Until the last call; each pair that has a meaning is there.
    private(set) var seconds = Dictionary(uniqueKeysWithValues: Fault.Pair.all.map { ($0, Duration.zero) })
    private var updatedAt: OutcomeWindow.Instant?

    /// What has begun and what has ended with an update.
    struct Change: Sendable, Equatable {
        var began: [Fault] = []
        var ended: [Fault] = []

        var isEmpty: Bool { began.isEmpty && ended.isEmpty }
    }

    /// Decides anew by what is known now; the time is not before that of the last call.
    mutating func update(_ evidence: FaultEvidence, at now: OutcomeWindow.Instant) -> Change {
        settle(at: now)
        let last = faults
        faults = locator.update(evidence, at: now)
        func others(_ some: [Fault], than known: [Fault]) -> [Fault] {
            some.filter { fault in !known.contains { $0.pair == fault.pair } }
        }
        return Change(began: others(faults, than: last), ended: others(last, than: faults))
    }

    /// Counts the time up to now for each fault that is there.
    mutating func settle(at now: OutcomeWindow.Instant) {
        if let updatedAt {
            for fault in faults { seconds[fault.pair, default: .zero] += max(.zero, updatedAt.duration(to: now)) }
        }
        // A scrape may have settled it up to a later time.
        updatedAt = max(updatedAt ?? now, now)
    }
}
