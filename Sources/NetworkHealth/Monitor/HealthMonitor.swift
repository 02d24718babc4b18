import FoundationEssentials
import Locking
package import NetworkPath

/// The monitor core: joins what is known into one state, tells its changes, counts outages.
///
/// It follows the path on the path loop's own thread, so that a change is in the state before anybody is told.
package final class HealthMonitor: Sendable {
    private struct State {
        var reducer = HealthReducer()
        var snapshot: NetworkSnapshot?
    }

    private let state: Locked<State>
    private let states: Broadcast<HealthState>
    private let snapshots: Broadcast<NetworkSnapshot>
    package let pathMonitor: PathMonitor

    /// - Parameters:
    ///   - configuration: what the path monitor looks at.
    ///   - prepareThread: see `PathMonitor`.
    package init(
        configuration: PathConfiguration = PathConfiguration(),
        prepareThread: @escaping @Sendable () -> Void = {}
    ) {
        let (state, states, snapshots) = (Locked(State()), Broadcast<HealthState>(), Broadcast<NetworkSnapshot>())
        (self.state, self.states, self.snapshots) = (state, states, snapshots)
        pathMonitor = PathMonitor(
            configuration: configuration,
            onUpdate: { update in
                let (new, snapshot) = state.withLock { state in
                    let new = state.reducer.apply(update, at: .now, date: .now)
                    let snapshot = new.snapshot
                    guard snapshot.differs(from: state.snapshot) else { return (new, nil as NetworkSnapshot?) }
                    state.snapshot = snapshot
                    return (new, snapshot)
                }
                states.send(new)
                if let snapshot { snapshots.send(snapshot) }
            },
            prepareThread: prepareThread
        )
    }

    deinit {
        pathMonitor.cancel()
        states.finish()
        snapshots.finish()
    }

    /// Starts watching; see `PathMonitor.start()`.
    package func start() throws { try pathMonitor.start() }

    /// Stops watching.
    package func stop() { pathMonitor.cancel() }

    /// The state of this moment; nil before the first complete evaluation.
    package var current: HealthState? { states.current }

    /// The current state first, then each change of the path.
    package func changes() -> AsyncStream<HealthState> { states.values() }

    /// The current snapshot first, then each change of any field but the time.
    package func snapshotChanges() -> AsyncStream<NetworkSnapshot> { snapshots.values() }

    /// The account so far; nil before the first complete evaluation.
    package var account: HealthAccount? { state.withLock { $0.reducer.account } }
}
