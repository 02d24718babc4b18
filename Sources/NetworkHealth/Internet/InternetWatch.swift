package import Probing

/// Probes the internet behind the path, with the help of other programs' traffic.
package final class InternetWatch: InternetWatching {
    package let monitor: InternetMonitor
    private let passive: PassiveObserver
    /// Set where nothing else uses the engine and runs `passive`.
    private let ownEngine: ProbeEngine?

    /// - Parameters:
    ///   - configuration: the hosts to contact, and how often.
    ///   - engine: sends the probes.
    ///   - passive: its reports make probes unnecessary; the caller runs it.
    ///   - kernelChanges: a number that grows with each change of a link or route.
    ///   - onLocalFailure: called with the error of each check that a limit of this machine ended; must not block.
    ///   - onClockFault: called with this clock minus that of a server where this explains an untrusted certificate; must
    ///     not block.
    ///   - onVerdict: called for each change of the verdict, in order; must not block.
    package convenience init(
        _ configuration: InternetConfiguration,
        engine: ProbeEngine,
        passive: PassiveObserver,
        kernelChanges: @escaping @Sendable () -> UInt64,
        onLocalFailure: @escaping @Sendable (_ error: String) -> Void,
        onClockFault: @escaping @Sendable (_ skew: Duration) -> Void,
        onVerdict: @escaping @Sendable (InternetVerdict) -> Void
    ) {
        self.init(
            configuration,
            engine,
            ownEngine: nil,
            passive,
            kernelChanges,
            onLocalFailure,
            onClockFault,
            onVerdict
        )
    }

    /// With an engine of its own, for as long as it runs.
    ///
    /// - Throws: `SystemError` where descriptors, memory or threads are exhausted.
    package convenience init(
        _ configuration: InternetConfiguration,
        userAgent: String,
        onVerdict: @escaping @Sendable (InternetVerdict) -> Void
    ) throws {
        let engine = try ProbeEngine(userAgent: userAgent)
        self.init(configuration, engine, ownEngine: engine, PassiveObserver(), { 0 }, { _ in }, { _ in }, onVerdict)
    }

    private init(
        _ configuration: InternetConfiguration,
        _ engine: ProbeEngine,
        ownEngine: ProbeEngine?,
        _ passive: PassiveObserver,
        _ kernelChanges: @escaping @Sendable () -> UInt64,
        _ onLocalFailure: @escaping @Sendable (String) -> Void,
        _ onClockFault: @escaping @Sendable (Duration) -> Void,
        _ onVerdict: @escaping @Sendable (InternetVerdict) -> Void
    ) {
        monitor = engine.internetMonitor(
            configuration,
            kernelChanges: kernelChanges,
            passiveReport: { await passive.report() },
            onLocalFailure: onLocalFailure,
            onClockFault: onClockFault,
            onVerdict: onVerdict
        )
        (self.passive, self.ownEngine) = (passive, ownEngine)
    }

    package func pathChanged(_ path: InternetPath) {
        passive.follow(devices: path.devices)
        monitor.pathChanged(path)
    }

    package func resumed() { monitor.resumed() }

    package func run() async {
        await withDiscardingTaskGroup { group in
            if ownEngine != nil { group.addTask { await self.passive.run() } }
            group.addTask { await self.monitor.run() }
            // The reports between two rounds: on a constrained path there are no rounds.
            group.addTask { for await report in self.passive.reports() { self.monitor.observed(report) } }
        }
        ownEngine?.stop()
    }
}

/// Finds out whether there is an internet behind the path.
package protocol InternetWatching: Sendable {
    /// The path from now on: called in order, from any thread; must not block.
    func pathChanged(_ path: InternetPath)
    /// This host was suspended, or this process stopped: the last verdict is outdated.
    func resumed()
    /// Probes until the task is cancelled.
    func run() async
}

/// Creates one that reports its verdicts.
typealias InternetWatchFactory =
    @Sendable (
        _ configuration: InternetConfiguration,
        _ onVerdict: @escaping @Sendable (InternetVerdict) -> Void
    ) throws -> any InternetWatching
