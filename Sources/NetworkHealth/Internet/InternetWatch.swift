package import Probing

/// Finds out whether there is an internet behind the path, by probes and by the traffic of other programs.
package final class InternetWatch: InternetWatching {
    package let monitor: InternetMonitor
    private let passive: PassiveObserver
    /// Set where nothing else uses the engine and runs `passive`.
    private let ownEngine: ProbeEngine?

    /// - Parameters:
    ///   - configuration: whom to ask, and how often.
    ///   - engine: sends the probes.
    ///   - passive: what it sees makes probes unnecessary; somebody else runs it.
    ///   - onVerdict: called for each change of the verdict, in order; must not block.
    package convenience init(
        _ configuration: InternetConfiguration,
        engine: ProbeEngine,
        passive: PassiveObserver,
        onVerdict: @escaping @Sendable (InternetVerdict) -> Void
    ) {
        self.init(configuration, engine, ownEngine: nil, passive, onVerdict)
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
        self.init(configuration, engine, ownEngine: engine, PassiveObserver(), onVerdict)
    }

    private init(
        _ configuration: InternetConfiguration,
        _ engine: ProbeEngine,
        ownEngine: ProbeEngine?,
        _ passive: PassiveObserver,
        _ onVerdict: @escaping @Sendable (InternetVerdict) -> Void
    ) {
        monitor = engine.internetMonitor(configuration, look: { await passive.report() }, onVerdict: onVerdict)
        (self.passive, self.ownEngine) = (passive, ownEngine)
    }

    package func pathChanged(_ path: InternetPath) { monitor.pathChanged(path) }

    package func resumed() { monitor.resumed() }

    package func run() async {
        await withDiscardingTaskGroup { group in
            if ownEngine != nil { group.addTask { await self.passive.run() } }
            group.addTask { await self.monitor.run() }
            // What is seen between two questions: on a constrained path there are none.
            group.addTask { for await report in self.passive.reports() { self.monitor.observed(report) } }
        }
        ownEngine?.stop()
    }
}

/// Whoever finds out what is behind the path.
package protocol InternetWatching: Sendable {
    /// The path from now on: called in order, from any thread; must not block.
    func pathChanged(_ path: InternetPath)
    /// This host was asleep: what was known is old.
    func resumed()
    /// Asks until the task is cancelled.
    func run() async
}

/// Makes one that tells what it finds.
typealias InternetWatchFactory =
    @Sendable (
        _ configuration: InternetConfiguration,
        _ onVerdict: @escaping @Sendable (InternetVerdict) -> Void
    ) throws -> any InternetWatching
