import Locking
package import NetworkPath
package import Probing

/// The monitor core: joins what is known into one state, tells its changes, counts outages.
///
/// It follows the path on the path loop's own thread, so that a change is in the state before anybody is told. Verdicts
/// about the internet come in from any other.
package final class HealthMonitor: HealthWatching {
    let core: HealthCore
    package let pathMonitor: PathMonitor

    /// - Parameters:
    ///   - configuration: what the path monitor looks at.
    ///   - prepareThread: see `PathMonitor`.
    package init(
        configuration: PathConfiguration = PathConfiguration(),
        prepareThread: @escaping @Sendable () -> Void = {}
    ) {
        let core = HealthCore()
        self.core = core
        pathMonitor = PathMonitor(
            configuration: configuration,
            onUpdate: { core.receive($0) },
            prepareThread: prepareThread
        )
    }

    deinit { pathMonitor.cancel() }

    /// Starts watching; see `PathMonitor.start()`.
    package func start() throws { try pathMonitor.start() }

    /// Stops watching and forgets the state; not to be called while another thread starts it.
    package func stop() {
        pathMonitor.cancel()
        core.forget()
    }

    /// The state of this moment; nil before the first complete evaluation.
    package var current: HealthState? { core.current }

    /// Another number for each state: whoever has seen it need not look again.
    package var version: UInt64 { core.version }

    /// The current state first, then each change of the path or of the verdict.
    package func changes() -> AsyncStream<HealthState> { core.states.values() }

    /// The current snapshot first, then each change of any field but the time.
    package func snapshotChanges() -> AsyncStream<NetworkSnapshot> { core.snapshots.values() }

    /// The account so far; nil before the first complete evaluation.
    package var account: HealthAccount? { core.account }

    /// Waits for verdicts about the internet from now on: online then follows them.
    ///
    /// Before `start()` or at any time after; a second call puts another in the first one's place, whose verdict stands
    /// until the new one's.
    ///
    /// - Parameter pathChanged: told the path of this moment, if there is one, and each later one, in order, after it is
    ///   the state; must not block. Whoever it is answers with `receive(_:)`.
    package func attachInternet(_ pathChanged: @escaping @Sendable (InternetPath) -> Void) {
        core.attachInternet(pathChanged)
    }

    /// Nobody asks for the internet any more: connected is online again.
    package func detachInternet() { core.detachInternet() }

    /// A verdict about the internet; one that nobody waits for changes nothing.
    package func receive(_ verdict: InternetVerdict) { core.receive(verdict) }

    /// Changes what is known of the uplinks: measured, seen to carry, felt.
    package func learn(_ change: (inout QualityHistory) -> Void) { core.learn(change) }

    /// Looks again whether the measurement of this uplink has grown too old.
    package func reassess() { core.learn() }

    func resumes() -> AsyncStream<UInt64> { pathMonitor.resumes() }

    func awaitFirstState() {
        guard core.current == nil else { return }
        // Waits for the first evaluation; the failure of it is that there is no state.
        _ = try? pathMonitor.currentPath
    }
}
