package import Probing

/// Looks for the internet behind the path with all that helps: probes, the traffic of others, what routers announce.
package final class InternetWatch: InternetWatching {
    package let monitor: InternetMonitor
    private let advertisements: AdvertisementWatch

    /// - Parameters:
    ///   - configuration: whom to ask, and how often.
    ///   - engine: sends the probes.
    ///   - passive: what it sees makes probes unnecessary; somebody else runs it.
    ///   - onVerdict: called for each change of the verdict, in order; must not block.
    package init(
        _ configuration: InternetConfiguration,
        engine: ProbeEngine,
        passive: PassiveObserver,
        onVerdict: @escaping @Sendable (InternetVerdict) -> Void
    ) {
        let monitor = engine.internetMonitor(configuration, look: { await passive.report() }, onVerdict: onVerdict)
        self.monitor = monitor
        advertisements = AdvertisementWatch(onChange: { monitor.advertised(uri: $0.uri) })
    }

    package func pathChanged(_ path: InternetPath) { monitor.pathChanged(path) }

    package func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.monitor.run() }
            group.addTask { await self.advertisements.run() }
        }
    }
}
