package import Probing

/// An internet watch with all that it needs, for as long as it runs.
package final class ProbingInternet: InternetWatching {
    private let engine: ProbeEngine
    private let passive = PassiveObserver()
    private let watch: InternetWatch

    /// - Parameters:
    ///   - configuration: whom to ask, and how often.
    ///   - userAgent: what its HTTP requests call themselves.
    ///   - onVerdict: called for each change of the verdict, in order; must not block.
    /// - Throws: `SystemError` where descriptors, memory or threads have run out.
    package init(
        _ configuration: InternetConfiguration,
        userAgent: String,
        onVerdict: @escaping @Sendable (InternetVerdict) -> Void
    ) throws {
        engine = try ProbeEngine(userAgent: userAgent)
        watch = InternetWatch(configuration, engine: engine, passive: passive, onVerdict: onVerdict)
    }

    package func pathChanged(_ path: InternetPath) { watch.pathChanged(path) }

    package func resumed() { watch.resumed() }

    package func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.passive.run() }
            group.addTask { await self.watch.run() }
        }
        engine.stop()
    }
}
