/// Follows NetworkManager over D-Bus, driven by the `poll` loop of one thread.
///
/// Nothing here blocks or throws: a host without a bus or without NetworkManager has no facts.
/// It tries a lost or absent bus again after 1 s, doubling up to 30 s.
package final class NetworkManagerClient {
    /// What one `process` changed.
    package struct Change: OptionSet, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// Anything in `facts`, or whether there are any.
        package static let facts = Change(rawValue: 1)
        /// A device's `metered`, or which devices there are.
        package static let metered = Change(rawValue: 2)
    }

    /// NetworkManager's facts; nil while the bus or NetworkManager is absent, or has not answered completely.
    package private(set) var facts: NetworkManagerFacts?
    /// False until the first facts are there or it is known that there are none, and again for 10 s after they were lost:
    /// NetworkManager may be restarting.
    package var isSettled: Bool { isKnown && returnsBy == nil }
    /// True while NetworkManager answers.
    package var isUp: Bool { facts != nil }

    private static let minWait = Duration.seconds(1)
    private static let maxWait = Duration.seconds(30)

    private let busAddress: String?
    private var isKnown = false
    /// Until when lost facts may return; nil where none were lost.
    private var returnsBy: SuspendingClock.Instant?
    private var session: NetworkManagerSession?
    private var wait = minWait
    /// When to connect next; long past at first.
    private var connectAt = SuspendingClock().systemEpoch

    /// Makes a client that connects in its first `process`.
    ///
    /// Without an address it is the system bus, or the one of `DBUS_SYSTEM_BUS_ADDRESS`.
    package init(busAddress: String? = nil) {
        self.busAddress = busAddress
    }

    /// What the loop polls for, to be read again before each `poll`; nil while there is no connection.
    package var pollRequest: (descriptor: Int32, events: Int16)? { session?.pollRequest }

    /// When to call `process` even without an event on the descriptor, to be read again before each `poll`.
    package var deadline: SuspendingClock.Instant? {
        [session == nil ? connectAt : session?.deadline, returnsBy].compactMap(\.self).min()
    }

    /// Does what is due, without blocking, and returns what it changed.
    package func process(now: SuspendingClock.Instant) -> Change {
        if let end = returnsBy, now >= end { returnsBy = nil }
        if session == nil {
            guard now >= connectAt else { return [] }
            session = NetworkManagerSession(busAddress: busAddress, now: now)
        }
        if session?.process(now: now) != true {
            // Also for a NetworkManager that refuses or does not answer: it is tried again later.
            session = nil
            connectAt = now + wait
            wait = min(wait * 2, Self.maxWait)
            isKnown = true
        } else if session?.isSettled == true {
            wait = Self.minWait
            isKnown = true
        }
        let before = facts
        facts = session?.facts
        if facts != nil {
            returnsBy = nil
        } else if before != nil {
            returnsBy = now + NetworkManagerSession.answerLimit
        }
        return Self.change(from: before, to: facts)
    }

    private static func change(from before: NetworkManagerFacts?, to after: NetworkManagerFacts?) -> Change {
        guard before != after else { return [] }
        let old = before?.devices.mapValues(\.metered) ?? [:]
        let new = after?.devices.mapValues(\.metered) ?? [:]
        return old == new ? .facts : [.facts, .metered]
    }
}
