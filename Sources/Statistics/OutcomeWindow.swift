/// The newest outcomes of a repeated measurement, each with its time: a value, or a loss.
///
/// Their number is bounded. A push takes constant time; readers choose by number, by age, or by both. Outcomes age while
/// the machine is suspended, too: `ContinuousClock` is CLOCK_BOOTTIME on Linux.
package struct OutcomeWindow: Sendable, Equatable {
    package typealias Instant = ContinuousClock.Instant

    /// One a second for five minutes.
    package static let defaultCapacity = 300

    /// In 16 bytes, since there is a window for each of many targets.
    private struct Entry: Sendable, Equatable {
        /// Since `origin`, in nanoseconds.
        var at: Int64
        /// In nanoseconds; negative: lost, or left out.
        var outcome: Int64

        static let lost: Int64 = -1
        static let leftOut: Int64 = -2

        var value: Duration? { outcome < 0 ? nil : .nanoseconds(outcome) }
    }

    private let capacity: Int
    /// A ring once it is full.
    private var entries: [Entry] = []
    /// The index of the oldest once the ring is full.
    private var oldest = 0
    /// The time of the first outcome; nil before it.
    package private(set) var origin: Instant?
    /// How many outcomes were ever added.
    package private(set) var pushes: UInt64 = 0
    /// How many of the newest are lost in a row.
    package private(set) var lossesInARow = 0

    /// - Parameter capacity: how many are remembered; at least one.
    package init(capacity: Int = defaultCapacity) {
        self.capacity = Swift.max(1, capacity)
    }

    /// The number of outcomes in the window.
    package var count: Int { entries.count { $0.outcome != Entry.leftOut } }

    /// Whether each new outcome replaces an older one.
    package var isFull: Bool { entries.count == capacity }

    /// Adds the newest outcome, nil for a loss; it replaces the oldest of a full window.
    package mutating func push(_ outcome: Duration?, at now: Instant) {
        pushes += 1
        lossesInARow = outcome == nil ? lossesInARow + 1 : 0
        let origin = origin ?? now
        self.origin = origin
        let entry = Entry(
            at: origin.duration(to: now).wholeNanoseconds,
            outcome: outcome.map { Swift.max(0, $0.wholeNanoseconds) } ?? Entry.lost
        )
        guard entries.count == capacity else {
            entries.append(entry)
            return
        }
        entries[oldest] = entry
        oldest = (oldest + 1) % capacity
    }

    /// Leaves out the outcomes of a time, from now on.
    ///
    /// - Parameters:
    ///   - start: its begin.
    ///   - end: its end; nil: up to now.
    ///   - earliest: the losses in a row before the begin are left out, too, but none that is older than this.
    package mutating func leaveOut(from start: Instant, to end: Instant?, andLossesSince earliest: Instant) {
        guard let origin else { return }
        func time(_ instant: Instant) -> Int64 { origin.duration(to: instant).wholeNanoseconds }
        let (start, end, earliest) = (time(start), end.map(time) ?? .max, time(earliest))
        for age in entries.indices.reversed() where self[age].at <= end {
            let entry = self[age]
            let isBefore = entry.at < start
            if isBefore, entry.outcome >= 0 || entry.at < earliest { break }
            entries[(oldest + age) % entries.count].outcome = Entry.leftOut
        }
        lossesInARow = newest().list.reversed().prefix { $0 == nil }.count
    }

    /// The newest outcomes, the oldest first.
    ///
    /// - Parameters:
    ///   - limit: how many at most; nil: all.
    ///   - start: older ones are left out; nil: of any age.
    /// - Returns: empty where there are none.
    package func newest(_ limit: Int? = nil, since start: Instant? = nil) -> Outcomes {
        let limit = limit ?? capacity
        var newest: [Duration?] = []
        for age in (entries.count - number(since: start)..<entries.count).reversed() {
            guard newest.count < limit else { break }
            let entry = self[age]
            if entry.outcome != Entry.leftOut { newest.append(entry.value) }
        }
        return Outcomes(newest.reversed())
    }

    /// Of those that were added after the first `count`, those that are in the window and not left out, the oldest first.
    ///
    /// - Parameters:
    ///   - count: the `pushes` of then.
    ///   - end: newer ones are not among them.
    /// - Returns: with the `pushes` at the end.
    package func added(after count: UInt64, until end: Instant) -> (outcomes: [Duration?], pushes: UInt64) {
        let limit = origin?.duration(to: end).wholeNanoseconds ?? 0
        let newer = entries.indices.reversed().prefix { self[$0].at > limit }.count
        let (last, pushed) = (entries.count - newer, pushes - UInt64(newer))
        let first = Swift.max(0, last - Int(clamping: pushed - Swift.min(count, pushed)))
        let added = (first..<last).map { self[$0] }.filter { $0.outcome != Entry.leftOut }
        return (added.map(\.value), pushed)
    }

    /// The values that are not older than `start`, losses between them left out, the oldest first.
    package func newestValues(since start: Instant) -> [Duration] { newest(since: start).list.compactMap(\.self) }

    /// How many outcomes of a time there are, and how many of them are losses.
    ///
    /// - Parameters:
    ///   - start: its begin; nil: of any age.
    ///   - end: its end, which is not part of it; nil: up to now.
    /// - Returns: without those that are left out.
    package func tally(since start: Instant? = nil, before end: Instant? = nil) -> LossTally {
        guard let origin else { return LossTally() }
        let first = start.map { origin.duration(to: $0).wholeNanoseconds } ?? .min
        let last = end.map { origin.duration(to: $0).wholeNanoseconds } ?? .max
        var tally = LossTally()
        for entry in entries where entry.at >= first && entry.at < last && entry.outcome != Entry.leftOut {
            tally.probes += 1
            if entry.outcome == Entry.lost { tally.losses += 1 }
        }
        return tally
    }

    /// When the latest run of outcomes began that follow each other within `gap`; nil without an outcome.
    package func runBegin(gap: Duration) -> Instant? {
        guard let origin, var begin = entries.indices.last.map({ self[$0].at }) else { return nil }
        for age in entries.indices.reversed() {
            guard begin - self[age].at <= gap.wholeNanoseconds else { break }
            begin = self[age].at
        }
        return origin.advanced(by: .nanoseconds(begin))
    }

    /// The values that are not older than `start` with their times, losses between them left out, the oldest first.
    package func timedValues(since start: Instant) -> [(at: Instant, value: Duration)] {
        guard let origin else { return [] }
        return (entries.count - number(since: start)..<entries.count).compactMap { age in
            let entry = self[age]
            return entry.value.map { (origin.advanced(by: .nanoseconds(entry.at)), $0) }
        }
    }

    /// When the newest value was measured; nil: the window has none.
    package var lastValueAt: Instant? {
        guard let origin, let index = entries.indices.last(where: { self[$0].value != nil }) else { return nil }
        return origin.advanced(by: .nanoseconds(self[index].at))
    }

    /// How many are not older than `start`.
    private func number(since start: Instant?) -> Int {
        guard let start, let origin else { return entries.count }
        let limit = origin.duration(to: start).wholeNanoseconds
        return entries.count - (entries.indices.last { self[$0].at < limit } ?? -1) - 1
    }

    /// By age: 0 is the oldest.
    private subscript(_ age: Int) -> Entry { entries[(oldest + age) % entries.count] }
}

extension Duration {
    /// Rounded down; at most the 292 years of an Int64.
    fileprivate var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !isTooLarge else { return seconds < 0 ? .min : .max }
        let (sum, overflows) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflows ? .max : sum
    }
}
