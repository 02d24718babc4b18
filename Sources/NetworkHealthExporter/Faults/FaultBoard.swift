import NetworkHealth
import Statistics

/// The faults of now, and for how long there was which: a value.
struct FaultBoard: Sendable {
    private var locator = FaultLocator()
    private(set) var faults: [Fault] = []
    /// What the exporter of the host had found when it fell silent: none of it is known to hold, nor to be over.
    private(set) var unheard: [Fault] = []
    /// At its last answer.
    private var adopted: [Fault] = []
    /// Until the last call; each pair that has a meaning is there.
    private(set) var seconds = Dictionary(uniqueKeysWithValues: Fault.Pair.all.map { ($0, Duration.zero) })
    /// Up to when the time was counted.
    private var settledAt: OutcomeWindow.Instant?
    private var decidedAt: OutcomeWindow.Instant?

    /// A decision follows after 4 s at the latest: in what is longer the machine slept, or this process did not run.
    private static let longestPause = Duration.seconds(10)

    /// What has begun and what has ended with an update.
    struct Change: Sendable, Equatable {
        var began: [Fault] = []
        var ended: [Fault] = []

        var isEmpty: Bool { began.isEmpty && ended.isEmpty }
    }

    /// Decides anew by what is known now; the time is not before that of the last call.
    ///
    /// - Parameters:
    ///   - evidence: of this exporter.
    ///   - adopted: what the exporter of a container's host has found; nil: none is followed, or it does not say.
    ///   - now: the time.
    /// - Returns: what has begun and ended.
    mutating func update(
        _ evidence: FaultEvidence,
        adopted: [Fault]? = nil,
        at now: OutcomeWindow.Instant
    ) -> Change {
        settle(at: now)
        decidedAt = now
        func others(_ some: [Fault], than known: [Fault]) -> [Fault] {
            some.filter { fault in !known.contains { $0.pair == fault.pair } }
        }
        let last = faults + unheard
        let own = locator.update(evidence, at: now)
        faults = adopted.map { Self.joined(own, $0) } ?? own
        self.adopted = adopted ?? self.adopted
        unheard = adopted == nil ? others(self.adopted, than: faults) : []
        return Change(began: others(faults, than: last), ended: others(last, than: faults + unheard))
    }

    /// The place of an outage, also by a fault that may not begin again yet; nil: it is not known.
    func place(of outage: FaultEvidence.OngoingOutage) -> FaultLocation? {
        (faults + locator.heldBack).sorted { $0.pair < $1.pair }.place(of: outage)
    }

    /// The host sees where a fault is that is at an unknown place for its container.
    private static func joined(_ own: [Fault], _ adopted: [Fault]) -> [Fault] {
        let own = own.filter { fault in
            !adopted.contains { $0.pair == fault.pair || fault.location == .unknown && $0.kind == fault.kind }
        }
        return (own + adopted).sorted { $0.pair < $1.pair }
    }

    /// Counts the time up to now for each fault that is there; not time in which nothing was observed.
    mutating func settle(at now: OutcomeWindow.Instant) {
        let elapsed = settledAt.map { max(.zero, $0.duration(to: now)) } ?? .zero
        // Since the last decision, however often it is scraped.
        if let decidedAt, decidedAt.duration(to: now) <= Self.longestPause {
            for fault in faults { seconds[fault.pair, default: .zero] += elapsed }
        }
        // A scrape may have settled it up to a later time.
        settledAt = max(settledAt ?? now, now)
    }
}
