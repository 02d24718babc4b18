import FoundationEssentials
import Locking
import NetworkPath
import Probing

/// The one state with its readers: what paths and verdicts come into, each from a thread of its own.
///
/// Each change is in `current` before anybody is told, and everybody is told in the order of the changes.
final class HealthCore: Sendable {
    private struct State {
        var reducer = HealthReducer()
        /// Counts the states that were told.
        var version: UInt64 = 0
        var snapshot: NetworkSnapshot?
        /// The newest path; nil before the first.
        var internetPath: InternetPath?
        /// Whoever asks for the internet, told each path.
        var pathChanged: (@Sendable (InternetPath) -> Void)?
        /// Told each state on the thread that brought it.
        var observers: [UUID: @Sendable (HealthState) -> Void] = [:]
        var outbox = Outbox()

        /// Keeps the one before until the lock is free: whoever it belongs to may end with it.
        mutating func replaceAsker(_ new: (@Sendable (InternetPath) -> Void)?) {
            outbox.append { [pathChanged] in withExtendedLifetime(pathChanged) {} }
            pathChanged = new
        }
    }

    let states = Broadcast<HealthState>()
    let snapshots = Broadcast<NetworkSnapshot>()
    private let state = Locked(State())

    deinit {
        states.finish()
        snapshots.finish()
    }

    /// The state of this moment; nil before the first complete evaluation.
    var current: HealthState? { state.withLock { $0.reducer.state } }

    /// Another number for each state: whoever has seen it need not look again.
    var version: UInt64 { state.withLock { $0.version } }

    /// The account so far; nil before the first complete evaluation.
    var account: HealthAccount? { state.withLock { $0.reducer.account } }

    /// A new path, told to the readers and then to whoever asks for the internet.
    func receive(_ update: PathUpdate) {
        change { state in
            let new = state.reducer.apply(update, at: .now, date: .now)
            let path = InternetPath(update)
            state.internetPath = path
            tell(new, &state)
            if let pathChanged = state.pathChanged { state.outbox.append { pathChanged(path) } }
        }
    }

    func receive(_ verdict: InternetVerdict) {
        change { state in
            if let new = state.reducer.apply(verdict, at: .now, date: .now) { tell(new, &state) }
        }
    }

    /// Something else is known of the uplinks, or a measurement may have grown old.
    func learn(_ body: (inout QualityHistory) -> Void = { _ in }) {
        change { state in
            if let new = state.reducer.apply(at: .now, date: .now, body) { tell(new, &state) }
        }
    }

    /// Waits for verdicts from now on; see `HealthMonitor`.
    func attachInternet(_ pathChanged: @escaping @Sendable (InternetPath) -> Void) {
        change { state in
            state.replaceAsker(pathChanged)
            if let new = state.reducer.expectVerdicts(true, at: .now, date: .now) { tell(new, &state) }
            if let path = state.internetPath { state.outbox.append { pathChanged(path) } }
        }
    }

    /// Waits for no verdict any more.
    func detachInternet() {
        change { state in
            state.replaceAsker(nil)
            if let new = state.reducer.expectVerdicts(false, at: .now, date: .now) { tell(new, &state) }
        }
    }

    /// Has `observer` told the current state at once and then each, in order, on the thread that brought it.
    ///
    /// - Parameter observer: must not block.
    /// - Returns: what `stopObserving(_:)` wants.
    func observe(_ observer: @escaping @Sendable (HealthState) -> Void) -> UUID {
        let id = UUID()
        change { state in
            state.observers[id] = observer
            if let current = state.reducer.state { state.outbox.append { observer(current) } }
        }
        return id
    }

    func stopObserving(_ id: UUID) {
        // Ends after the lock, with what it holds.
        _ = state.withLock { $0.observers.removeValue(forKey: id) }
    }

    /// How many observe at this moment.
    var observerCount: Int { state.withLock { $0.observers.count } }

    /// Begins anew: what was true before a stop is nobody's current state.
    ///
    /// Whoever asks for the internet stays, and so do the readers.
    func forget() {
        change { state in
            state.reducer.forget()
            state.version += 1
            (state.snapshot, state.internetPath) = (nil, nil)
            state.outbox.append { [states, snapshots] in
                states.forget()
                snapshots.forget()
            }
        }
    }

    private func tell(_ new: HealthState, _ state: inout State) {
        state.version += 1
        state.outbox.append { [states, observers = state.observers.values] in
            states.send(new)
            for observer in observers { observer(new) }
        }
        let snapshot = new.snapshot
        guard snapshot.differs(from: state.snapshot) else { return }
        state.snapshot = snapshot
        state.outbox.append { [snapshots] in snapshots.send(snapshot) }
    }

    /// Changes the state under the lock, and tells of it after.
    private func change(_ body: (inout State) -> Void) {
        let isTelling = state.withLock { state in
            body(&state)
            return state.outbox.begin()
        }
        guard isTelling else { return }
        while let call = state.withLock({ $0.outbox.next() }) { call() }
    }
}
