import Coordination

/// The events that an internet monitor has not handled yet, and a signal for the one task that takes them.
final class InternetInbox: Sendable {
    private let events = Locked(InternetEventQueue())
    /// One element for all events since the last element was taken.
    let arrivals: AsyncStream<Void>
    private let bell: AsyncStream<Void>.Continuation

    init() { (arrivals, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    deinit { bell.finish() }

    func add(_ event: InternetStateMachine.Event) {
        events.withLock { $0.add(event) }
        bell.yield()
    }

    func finish() { bell.finish() }

    func next() -> InternetStateMachine.Event? { events.withLock { $0.next() } }
}

/// Events in order, each kind at most once: bounded while the reader is slow, and nothing that matters is lost.
///
/// A newer path, configuration, portal, loss or answer replaces the older one. Reports of the traffic of other programs,
/// and the failures of one target, are joined. Only the newest round counts, with one report for each family and one for the portal.
struct InternetEventQueue: Sendable {
    private var events: [InternetStateMachine.Event] = []

    var count: Int { events.count }

    mutating func add(_ event: InternetStateMachine.Event) {
        var event = event
        if case .reported(_, let round) = event {
            // A cancelled round may report after the round that replaced it.
            guard !events.contains(where: { ($0.round ?? 0) > round }) else { return }
            events.removeAll { ($0.round ?? round) < round }
        }
        if let index = events.firstIndex(where: { $0.isReplaced(by: event) }) {
            let old = events.remove(at: index)
            event = event.joined(after: old)
        }
        events.append(event)
    }

    mutating func next() -> InternetStateMachine.Event? { events.isEmpty ? nil : events.removeFirst() }
}

extension InternetStateMachine.Event {
    /// The round that is reported; nil for other events.
    fileprivate var round: UInt64? { if case .reported(_, let round) = self { round } else { nil } }

    fileprivate func isReplaced(by newer: Self) -> Bool {
        switch (self, newer) {
        // A path that was unsatisfied in between is another one.
        case (.pathChanged(let path), .pathChanged(let newer)): path.isSatisfied == newer.isSatisfied
        case (.resumed, .resumed), (.configured, .configured), (.observed, .observed),
            (.passiveReport, .passiveReport), (.lossMeasured, .lossMeasured), (.timerFired, .timerFired):
            true
        case (.reported(.family(let family, _), _), .reported(.family(let newer, _), _)): family == newer
        case (.reported(.portal, _), .reported(.portal, _)): true
        case (.mtuMeasured(let family, _), .mtuMeasured(let newer, _)): family == newer
        case (.failed(let name, _, let family), .failed(let newer, _, let newerFamily)):
            name == newer && family == newerFamily
        // What was silent before it answered is news, and the other way round.
        case (.sensed(let source, let isAlive), .sensed(let newer, let isNewerAlive)):
            source == newer && isAlive == isNewerAlive
        default: false
        }
    }

    /// With what the event that it replaces reports beyond it.
    fileprivate func joined(after old: Self) -> Self {
        switch (old, self) {
        case (.observed(let earlier), .observed(let later)): .observed(earlier.joined(with: later))
        case (.failed(_, let earlier, _), .failed(let name, let since, let family)):
            .failed(name, since: min(earlier, since), family: family)
        default: self
        }
    }
}

extension PassiveReport {
    /// Both as one: segments received in the later report end a stall of the earlier.
    fileprivate func joined(with later: PassiveReport) -> PassiveReport {
        var joined = later
        joined.receivedFamilies.formUnion(receivedFamilies)
        joined.stalledFamilies.formUnion(stalledFamilies.subtracting(later.receivedFamilies))
        joined.failingSince.merge(
            failingSince.filter { !later.receivedFamilies.contains($0.key) },
            uniquingKeysWith: min
        )
        joined.retransmittedShare = later.retransmittedShare ?? retransmittedShare
        joined.medianRTT = later.medianRTT ?? medianRTT
        return joined
    }
}
