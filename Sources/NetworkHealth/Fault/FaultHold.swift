import Statistics

/// Keeps faults from flapping: a pure value.
///
/// A pair is entered at most once in 30 s, and left at most once in 30 s. While a rule sees that something is wrong and
/// cannot place it, the place that was found before stays.
struct FaultHold: Sendable {
    typealias Instant = OutcomeWindow.Instant

    static let span = Duration.seconds(30)
    /// How long something is unplaced before that is said: an outage is placed in 15 s.
    static let unknownOutageAfter = Duration.seconds(15)
    static let unknownAfter = Duration.seconds(60)

    private struct Entry {
        /// The last one found; nil: not found now.
        var fault: Fault
        /// Since when it has been found, or not found.
        var isFound = true
        var changedAt: Instant
        var isActive = false
        var enteredAt: Instant?
        var leftAt: Instant?
    }

    private var entries: [Fault.Pair: Entry] = [:]

    /// What was found at the last update, and may not begin yet.
    var heldBack: [Fault] { entries.values.filter { $0.isFound && !$0.isActive }.map(\.fault) }

    /// Takes what the rules find now.
    ///
    /// - Parameters:
    ///   - found: the faults.
    ///   - keepsOutages: false where the cause of the outage has changed: a place that was found for the earlier cause does not stay.
    ///   - now: the time.
    /// - Returns: the faults that hold, the nearest to this host first.
    mutating func update(_ found: [Fault], keepsOutages: Bool = true, at now: Instant) -> [Fault] {
        for (pair, faults) in Dictionary(grouping: found, by: \.pair) { note(pair, faults, at: now) }
        let pairs = Set(found.map(\.pair))
        let unplaced = Set(pairs.filter { $0.location == .unknown }.map(\.kind))
        for pair in entries.keys where !pairs.contains(pair) {
            let isKept =
                unplaced.contains(pair.kind) && entries[pair]?.isActive == true
                && (keepsOutages || pair.kind != .outage)
            if !isKept { miss(pair, at: now) }
        }
        for pair in entries.keys { decide(pair, at: now) }
        let active = entries.values.filter(\.isActive).map(\.fault)
        let placed = Set(active.filter { $0.location != .unknown }.map(\.kind))
        entries = entries.filter { $0.value.isActive || $0.value.isFound || $0.value.changedAt > now - Self.span }
        return active.filter { $0.location != .unknown || !placed.contains($0.kind) }.sorted { $0.pair < $1.pair }
    }

    private mutating func note(_ pair: Fault.Pair, _ faults: [Fault], at now: Instant) {
        let since = faults.map(\.since).min() ?? now
        let new = Fault(pair.location, pair.kind, since: since, faults.flatMap(\.observations))
        guard var entry = entries[pair] else {
            entries[pair] = Entry(fault: new, changedAt: now)
            return
        }
        if !entry.isFound { (entry.isFound, entry.changedAt) = (true, now) }
        let first = entry.isActive ? min(entry.fault.since, since) : max(since, entry.changedAt)
        entry.fault = Fault(pair.location, pair.kind, since: pair.kind == .outage ? since : first, new.observations)
        entries[pair] = entry
    }

    private mutating func miss(_ pair: Fault.Pair, at now: Instant) {
        guard entries[pair]?.isFound == true else { return }
        entries[pair]?.isFound = false
        entries[pair]?.changedAt = now
    }

    private mutating func decide(_ pair: Fault.Pair, at now: Instant) {
        guard var entry = entries[pair], entry.isFound != entry.isActive else { return }
        let since = entry.changedAt.duration(to: now)
        let last = entry.isFound ? entry.enteredAt : entry.leftAt
        guard since >= delay(pair, isFound: entry.isFound), last.map({ $0 + Self.span <= now }) ?? true else { return }
        entry.isActive = entry.isFound
        if entry.isFound { entry.enteredAt = now } else { entry.leftAt = now }
        entries[pair] = entry
    }

    private func delay(_ pair: Fault.Pair, isFound: Bool) -> Duration {
        switch (pair.location, pair.kind, isFound) {
        case (.unknown, .outage, true): Self.unknownOutageAfter
        case (.unknown, _, true): Self.unknownAfter
        // A queue that lasts: a download of a few seconds is no fault.
        case (_, .latency, true): Self.span
        case (_, .outage, false): .zero
        case (_, _, true): .zero
        case (_, _, false): Self.span
        }
    }
}
