import HeapModule

/// When each target is probed next: a heap of due times as a pure value.
///
/// Times are relative to an origin of the caller. A target's turns are whole intervals apart, however late they are
/// taken, so they never drift; turns missed in a pause are left out.
package struct ProbeSchedule: Sendable {
    /// One turn that is due.
    package struct Due: Sendable, Equatable {
        package var name: String
        /// When it should have been taken.
        package var time: Duration
    }

    private struct Turn: Comparable {
        var name: String
        var interval: Duration
        var due: Duration
        /// When the last turn was due; nil before the first.
        var last: Duration?

        static func < (one: Self, other: Self) -> Bool { (one.due, one.name) < (other.due, other.name) }
    }

    /// First turns are spread over the interval, or over this when it is longer.
    private static let maximumSpread = Duration.seconds(10)
    /// Shorter intervals are raised to this.
    private static let minimumInterval = Duration.milliseconds(1)

    private var heap = Heap<Turn>()

    package init() {}

    /// When the next turn is due; nil: no targets.
    package var next: Duration? { heap.min?.due }

    /// Replaces the scheduled targets.
    ///
    /// One with an unchanged interval keeps its turn. A new one gets its place in the spread by its position; so does
    /// one whose new interval has passed already, and any other counts the new interval from its last turn.
    package mutating func update(_ intervals: [(name: String, interval: Duration)], at now: Duration) {
        let known = Dictionary(heap.unordered.map { ($0.name, $0) }) { first, _ in first }
        let turns = intervals.enumerated().map { position, entry in
            let interval = max(entry.interval, Self.minimumInterval)
            let place = now + min(interval, Self.maximumSpread) * position / intervals.count
            guard var turn = known[entry.name] else { return Turn(name: entry.name, interval: interval, due: place) }
            guard turn.interval != interval else { return turn }
            if let last = turn.last, last + interval > now {
                turn.due = last + interval
            } else {
                // A scheduled turn is not put off, so that no series of changes starves a target.
                turn.due = min(turn.due, place)
            }
            turn.interval = interval
            return turn
        }
        heap = Heap(turns)
    }

    /// Removes these targets; one that is added again is new.
    package mutating func remove(_ names: Set<String>) {
        heap = Heap(heap.unordered.filter { !names.contains($0.name) })
    }

    /// Has a target's next turn at once; the later ones follow whole intervals after it.
    package mutating func hasten(_ name: String, at now: Duration) {
        heap = Heap(
            heap.unordered.map { turn in
                var turn = turn
                if turn.name == name { turn.due = min(turn.due, now) }
                return turn
            }
        )
    }

    /// Takes every due turn, the earliest first, each target at most once.
    package mutating func due(at now: Duration) -> [Due] {
        var taken: [Due] = []
        while var turn = heap.min, turn.due <= now {
            taken.append(Due(name: turn.name, time: turn.due))
            let missed = (now - turn.due).attoseconds / turn.interval.attoseconds
            let last = turn.due + turn.interval * missed
            (turn.last, turn.due) = (last, last + turn.interval)
            heap.replaceMin(with: turn)
        }
        return taken
    }
}
