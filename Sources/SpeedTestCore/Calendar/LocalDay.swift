import Posix

/// The instants of one day in the process's time zone, and the change of its clocks in or near that day.
///
/// At most one change within 30 hours is seen; no zone of our days has more.
struct LocalDay {
    /// Days since 1970-01-01.
    let number: Int
    /// Seconds east of UTC before and from the change on.
    private let before: Int
    private let after: Int
    /// When the clocks change, in seconds since the epoch; nil on most days.
    let change: Int?

    init(_ number: Int) {
        self.number = number
        let midnight = number * 86_400
        let start = midnight - WallClock.offset(at: midnight)
        var earlier = start - 3 * 3600
        var later = start + 27 * 3600
        before = WallClock.offset(at: earlier)
        after = WallClock.offset(at: later)
        guard before != after else {
            change = nil
            return
        }
        while later - earlier > 1 {
            let middle = (earlier + later) / 2
            if WallClock.offset(at: middle) == before { earlier = middle } else { later = middle }
        }
        change = later
    }

    /// When clocks show a minute of this day, 0…1439: once, twice where it is repeated, never where it is left out.
    func instants(of minute: Int) -> [Int] {
        let shown = number * 86_400 + minute * 60
        guard let change else { return [shown - before] }
        var instants: [Int] = []
        if shown - before < change { instants.append(shown - before) }
        if shown - after >= change { instants.append(shown - after) }
        return instants
    }

    /// When a minute of this day begins; one that is left out begins with the change.
    func beginning(of minute: Int) -> Int {
        instants(of: minute).first ?? change ?? number * 86_400
    }
}
