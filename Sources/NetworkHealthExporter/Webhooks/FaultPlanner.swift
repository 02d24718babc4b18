import FoundationEssentials
import NetworkHealth
import Statistics

/// Decides which faults a webhook reports; pure.
///
/// A fault is reported once it has lasted `minimum`, and its end only if it was. It has its own hysteresis: it begins and ends
/// at most once in 30 s.
struct FaultPlanner: Sendable {
    typealias Moment = WebhookPlanner.Moment

    private struct Entry {
        /// As it was seen last.
        var fault: Fault
        let began: WebhookPlanner.Instant
        let started: Date
        /// From when on it has to last: its begin, or the end of time in which nothing was observed.
        var countsFrom: WebhookPlanner.Instant
        var isReported = false

        init(_ fault: Fault, began: WebhookPlanner.Instant, started: Date) {
            (self.fault, self.began, self.started, countsFrom) = (fault, began, started, began)
        }
    }

    private let minimum: Duration
    private var entries: [Fault.Pair: Entry] = [:]

    /// - Parameter minimum: how long a fault must last.
    init(minimum: Duration) { self.minimum = minimum }

    /// When a fault may be due without a change; nil: never.
    var deadline: WebhookPlanner.Instant? {
        entries.values.compactMap { $0.isReported ? nil : $0.countsFrom + minimum }.min()
    }

    /// After time in which nothing was observed, what is not reported has to last from now on.
    mutating func missed(at now: WebhookPlanner.Instant) {
        for pair in entries.keys where entries[pair]?.isReported == false { entries[pair]?.countsFrom = now }
    }

    /// What is to be reported: what is over, then what is new.
    ///
    /// - Parameters:
    ///   - faults: those of this moment, and for how long each has been there.
    ///   - unheard: of which it is not known whether they are over.
    ///   - now: this moment.
    /// - Returns: the occurrences, of each event the nearest to this host first; mostly none.
    mutating func take(
        _ faults: [(fault: Fault, age: Duration)],
        unheard: Set<Fault.Pair> = [],
        at now: Moment
    ) -> [WebhookOccurrence] {
        let pairs = Set(faults.map(\.fault.pair))
        let over = entries.values.filter { entry in
            !pairs.contains(entry.fault.pair) && !(entry.isReported && unheard.contains(entry.fault.pair))
        }
        .sorted { $0.fault.pair < $1.fault.pair }
        for entry in over { entries[entry.fault.pair] = nil }
        for (fault, age) in faults {
            let began = now.instant - age
            entries[fault.pair, default: Entry(fault, began: began, started: now.date(of: began))].fault = fault
        }
        let due = faults.compactMap { entries[$0.fault.pair] }
            .filter { !$0.isReported && $0.countsFrom.duration(to: now.instant) >= minimum }
        for entry in due { entries[entry.fault.pair]?.isReported = true }
        return over.filter(\.isReported).map { Self.occurrence(.faultEnded, $0, at: now) }
            + due.map { Self.occurrence(.fault, $0, at: now) }
    }

    private static func occurrence(_ event: WebhookEvent, _ entry: Entry, at now: Moment) -> WebhookOccurrence {
        let seconds = entry.began.duration(to: now.instant).seconds
        let ended = event == .faultEnded ? now.date : nil
        return WebhookOccurrence(
            event: event,
            started: entry.started,
            ended: ended,
            seconds: seconds,
            fault: FaultEvent(entry.fault, since: entry.started, ended: ended, seconds: seconds)
        )
    }
}
