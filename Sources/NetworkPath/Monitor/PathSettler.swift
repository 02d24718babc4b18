/// Decides when a change of the path is published: a debouncer as a pure value.
///
/// The caller reports each kernel event, sleeps until `deadline()`, evaluates the state of that moment and passes the
/// evaluation in. A lost carrier is held back, since it often returns at once, and so is a recovery, since it often
/// fails; at the end of the hold the state of that moment is published. Other changes are published when the burst of
/// events is over.
package struct PathSettler: Sendable {
    package typealias Instant = SuspendingClock.Instant

    /// The last path published; nil before the first.
    package private(set) var published: PathUpdate?
    /// The device of the last published path that could carry traffic, and before it what carried its packets if it is a tunnel;
    /// empty before the first.
    package private(set) var carriers: [Interface] = []
    /// Whether the first path after the start has settled.
    package var isSettled: Bool { published?.isSettling == false }

    /// How long to wait; new timings apply from the next change on.
    package var timings: SettleTimings
    private var burst: Burst?
    private var hold: Hold?
    private var reevaluateAt: Instant?

    /// Events that are not evaluated yet.
    private struct Burst {
        let first: Instant
        var last: Instant
    }

    /// A change of status that is being watched.
    private struct Hold {
        let evidence: Instant
        let until: Instant
    }

    package init(timings: SettleTimings = SettleTimings()) {
        self.timings = timings
    }

    /// Something about the network was reported.
    package mutating func event(at now: Instant) {
        burst = Burst(first: burst?.first ?? now, last: now)
    }

    /// When to evaluate next; nil while no evaluation is due.
    package func deadline() -> Instant? {
        let settled = burst.map { min($0.last.advanced(by: timings.quiet), $0.first.advanced(by: timings.max)) }
        return [settled, hold?.until, reevaluateAt].compactMap(\.self).min()
    }

    /// The state of this moment was evaluated: returns what to publish, if anything.
    package mutating func evaluated(_ evaluation: PathEvaluation, at now: Instant) -> PathUpdate? {
        let evidence = min(burst?.first ?? now, now)
        burst = nil
        reevaluateAt = evaluation.reevaluateAt.flatMap { $0 > now ? $0 : nil }
        guard isSettled, let old = published?.path else {
            // What does not settle after the start is as old as the start.
            let start = evaluation.path.status == .satisfied ? nil : published?.evidenceAt
            return publish(evaluation, evidence: start ?? evidence, at: now)
        }

        guard let wait = holdTime(from: old, to: evaluation) else {
            // An outage that began as a lost carrier is as old as that, even if it now has another cause.
            let isOutage = old.status == .satisfied && evaluation.path.status != .satisfied
            let start = isOutage ? hold?.evidence ?? evidence : evidence
            hold = nil
            return publish(evaluation, evidence: start, at: now)
        }
        let current = hold ?? Hold(evidence: evidence, until: evidence.advanced(by: wait))
        guard current.until <= now else {
            hold = current
            return nil
        }
        hold = nil
        return publish(evaluation, evidence: current.evidence, at: now)
    }

    /// How long the change has to last; nil for one that is published at once, or none.
    private func holdTime(from old: Path, to new: PathEvaluation) -> Duration? {
        switch (old.status == .satisfied, new.path.status == .satisfied) {
        case (true, false): hasLostCarrier(old, new) ? timings.downHold : nil
        case (false, true): timings.upHold
        case (true, true), (false, false): nil
        }
    }

    /// Whether the device of the old path, or the one below it, only lost its carrier.
    ///
    /// Some network managers remove the routes with the carrier, so the missing route is not the cause then.
    private func hasLostCarrier(_ old: Path, _ new: PathEvaluation) -> Bool {
        if new.downCause == .carrier, new.path.interface?.index == old.interface?.index { return true }
        let carriers = [old.interface, old.underlay].compactMap { $0?.index }
        return !new.withoutCarrier.isDisjoint(with: carriers)
    }

    private mutating func publish(_ evaluation: PathEvaluation, evidence: Instant, at now: Instant) -> PathUpdate? {
        let path = evaluation.path
        guard published?.path != path || published?.isSettling != evaluation.isSettling else { return nil }
        var update = PathUpdate(
            path: path,
            changes: published.map { PathUpdate.difference($0.path, path) } ?? [],
            generation: (published?.generation ?? 0) &+ 1,
            evidenceAt: evidence,
            publishedAt: now
        )
        update.downCause = evaluation.downCause
        update.isSettling = evaluation.isSettling
        published = update
        if path.status == .satisfied {
            // A device of a container's host has the index 0, and no link here.
            carriers = [path.tunnelCarrier, path.interface].compactMap(\.self).filter { $0.index > 0 }
        }
        return update
    }
}
