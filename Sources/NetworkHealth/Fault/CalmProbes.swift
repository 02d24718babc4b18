import Statistics

/// What a point on the way answers while nothing is wrong: a value.
///
/// By it a silence or a loss is the line's, or what the point leaves out by itself. What was lost in an earlier outage, or in
/// another trouble, says nothing about that.
struct CalmProbes: Sendable {
    typealias Instant = OutcomeWindow.Instant

    /// A trouble is noticed so late at most, but for a small loss.
    private static let delay = Duration.seconds(30)
    /// In this time a search for hops has five rounds, and a trouble more.
    private static let fewestInTrouble = 6

    private(set) var tally = LossTally()
    /// How many outcomes there were when the last one was counted.
    private var counted: UInt64 = 0
    /// How many there were when the last one was counted or left out.
    private var seen: UInt64 = 0

    init() {}

    /// Of a known tally, which is that of the first so many outcomes.
    init(_ tally: LossTally, counted: UInt64) { (self.tally, self.counted, seen) = (tally, counted, counted) }

    /// Takes the outcomes that are new in a window, or leaves them out where something is wrong.
    mutating func add(_ window: OutcomeWindow, isWell: Bool, at now: Instant) {
        // The hops are looked for anew.
        if window.pushes < seen { self = CalmProbes() }
        guard isWell, window.tally(since: now - Self.delay).probes < Self.fewestInTrouble else {
            seen = window.pushes
            return
        }
        let new = window.added(after: seen, until: now - Self.delay)
        tally = tally + LossTally(new.outcomes)
        seen = max(seen, new.pushes)
        counted = seen
    }

    /// With those of the trouble of now, without those of earlier ones.
    func tally(with window: OutcomeWindow, at now: Instant) -> LossTally {
        // The hops are looked for anew: what was counted is of another window.
        guard counted <= window.pushes else { return window.tally() }
        return tally + LossTally(window.added(after: counted, until: now).outcomes)
    }
}

extension LossTally {
    fileprivate init(_ outcomes: [Duration?]) {
        self.init(probes: outcomes.count, losses: outcomes.count { $0 == nil })
    }
}
