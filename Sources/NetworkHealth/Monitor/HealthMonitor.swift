import Coordination
package import FoundationEssentials
package import NetworkPath
package import Probing

/// The one state: paths and verdicts come in, from any thread, and each change goes out to observers and streams.
///
/// A change is in `current` before any reader receives it. All readers receive the changes in their order.
package final class HealthMonitor: Sendable {
    private struct State {
        var reducer = HealthReducer()
        var snapshot: NetworkSnapshot?
        /// The newest path; nil before the first.
        var internetPath: InternetPath?
        /// Receives each path; nil while the internet is not probed.
        var pathChanged: (@Sendable (InternetPath) -> Void)?
        var observers: [UUID: @Sendable (HealthState) -> Void] = [:]
        var outbox = Outbox()

        mutating func replacePathChanged(_ new: (@Sendable (InternetPath) -> Void)?) {
            // Released after unlocking: what the closure captured may end with it, and read this state.
            outbox.append { [pathChanged] in withExtendedLifetime(pathChanged) {} }
            pathChanged = new
        }
    }

    let states = Broadcast<HealthState>()
    let snapshots = Broadcast<NetworkSnapshot>()
    private let state = Locked(State())

    package init() {}

    deinit {
        states.finish()
        snapshots.finish()
    }

    // MARK: Out

    /// The current state; nil before the first complete evaluation.
    package var current: HealthState? { state.withLock { $0.reducer.state } }

    /// What was counted so far; nil before the first complete evaluation.
    package var statistics: HealthStatistics? {
        state.withLock { state in
            // A reader may run before the loop that observes does: what it has missed is not reported as observed.
            var reducer = state.reducer
            _ = reducer.missed(at: .now, date: .now)
            return reducer.statistics
        }
    }

    /// The last time in which this process did not run, up to now, as in `statistics`.
    package var gap: DatedGap? {
        state.withLock { state in
            var reducer = state.reducer
            return reducer.missed(at: .now, date: .now).last?.gap ?? reducer.state?.gap
        }
    }

    /// What was measured and observed on an uplink, in use or not.
    package func evidence(of uplink: Uplink) -> QualityEvidence { state.withLock { $0.reducer.evidence(of: uplink) } }

    /// The current state first, then each change.
    package func changes() -> AsyncStream<HealthState> { states.values() }

    /// The current snapshot first, then each change of any field except the times.
    package func snapshotChanges() -> AsyncStream<NetworkSnapshot> {
        snapshots.values { current in
            var current = current
            // That one is taken now; a change was taken when it was made.
            current.timestamp = .now
            return current
        }
    }

    /// Calls `observer` with the current state now, then with each change, in order, on the thread that made it.
    ///
    /// - Parameter observer: must not block.
    /// - Returns: an identifier for `stopObserving(_:)`.
    @discardableResult
    package func observe(_ observer: @escaping @Sendable (HealthState) -> Void) -> UUID {
        let id = UUID()
        change { state in
            state.observers[id] = observer
            if let current = state.reducer.state { state.outbox.append { observer(current) } }
        }
        return id
    }

    package func stopObserving(_ id: UUID) {
        // Released after unlocking, with what it captured.
        _ = state.withLock { $0.observers.removeValue(forKey: id) }
    }

    var observerCount: Int { state.withLock { $0.observers.count } }

    /// The first state that satisfies `isEnough`, the current one included; after `limit`, the current one.
    package func firstState(
        within limit: Duration,
        isEnough: @escaping @Sendable (HealthState) -> Bool = { _ in true }
    ) async -> HealthState? {
        if let current, isEnough(current) { return current }
        return await withTaskGroup(of: HealthState?.self) { group in
            group.addTask {
                for await state in self.changes() where isEnough(state) { return state }
                return nil
            }
            group.addTask {
                // The limit of the wait, which a state ends earlier.
                try? await Task.sleep(for: limit)
                return self.current
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    // MARK: In

    /// Takes until when this process is to run again; where it does not, nothing is observed until it does.
    package func expectObservation(by due: SuspendingClock.Instant) {
        change { $0.reducer.expectObservation(by: due) }
    }

    /// Takes time in which this process did not run, also before the loop that observes runs again.
    ///
    /// For those whose own time is over at the same moment: what they wait for was not observed until then.
    package func noticeGap() { change { _ in } }

    /// Takes a new path, and passes it on to the prober of the internet once it is in the state.
    package func receive(_ update: PathUpdate) {
        change { state in
            let new = state.reducer.apply(update, at: .now, date: .now)
            let path = InternetPath(update)
            state.internetPath = path
            publish(new, &state)
            if let pathChanged = state.pathChanged { state.outbox.append { pathChanged(path) } }
        }
    }

    /// Takes a verdict about the internet; ignored while no prober is attached.
    package func receive(_ verdict: InternetVerdict) {
        change { state in
            if let new = state.reducer.apply(verdict, at: .now, date: .now) { publish(new, &state) }
        }
    }

    /// Changes what is known about the uplinks, and checks whether the measurement of this one has expired.
    package func learn(_ body: (inout QualityHistory) -> Void = { _ in }) {
        change { state in
            if let new = state.reducer.apply(at: .now, date: .now, body) { publish(new, &state) }
        }
    }

    /// Takes the place of the outage that began then; ignored after its end.
    package func locate(_ place: FaultLocation, since: SuspendingClock.Instant) {
        change { state in
            if let new = state.reducer.located(place, since: since, date: .now) { publish(new, &state) }
        }
    }

    /// Waits for verdicts about the internet from now on: `isOnline` then follows them.
    ///
    /// A second call replaces the first; the last verdict holds until the new prober's first.
    ///
    /// - Parameter pathChanged: called with the current path, if there is one, and each later one, in order, after it is
    ///   in the state; must not block. Its verdicts come back through `receive(_:)`.
    package func attachInternet(_ pathChanged: @escaping @Sendable (InternetPath) -> Void) {
        change { state in
            state.replacePathChanged(pathChanged)
            if let new = state.reducer.expectVerdicts(true, at: .now, date: .now) { publish(new, &state) }
            if let path = state.internetPath { state.outbox.append { pathChanged(path) } }
        }
    }

    /// Waits for no verdicts any more: connected is online.
    package func detachInternet() {
        change { state in
            state.replacePathChanged(nil)
            if let new = state.reducer.expectVerdicts(false, at: .now, date: .now) { publish(new, &state) }
        }
    }

    /// Clears the state after the path monitor has stopped; measurements, observers and the prober stay.
    package func forget() {
        change { state in
            state.reducer.forget()
            (state.snapshot, state.internetPath) = (nil, nil)
            state.outbox.append { [states, snapshots] in
                states.forget()
                snapshots.forget()
            }
        }
    }

    private func publish(_ new: HealthState, _ state: inout State) {
        state.outbox.append { [states, observers = state.observers.values] in
            states.send(new)
            for observer in observers { observer(new) }
        }
        let snapshot = new.snapshot(at: new.timestamp)
        guard snapshot.differs(from: state.snapshot) else { return }
        state.snapshot = snapshot
        state.outbox.append { [snapshots] in snapshots.send(snapshot) }
    }

    /// Changes the state under the lock, and delivers the change after unlocking.
    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            for new in state.reducer.missed(at: .now, date: .now) { publish(new, &state) }
            body(&state)
        }
        state.deliver(\.outbox)
    }
}
