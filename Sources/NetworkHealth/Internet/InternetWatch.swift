import Locking
package import Probing

/// Looks for the internet behind the path with all that helps: probes, the traffic of others, what routers announce.
package final class InternetWatch: InternetWatching {
    private struct Portals: Sendable {
        /// URIs by interface.
        var announced: [Int: String] = [:]
        /// Those of the path: a router elsewhere has no say.
        var interfaces: Set<Int> = []

        var uri: String? { interfaces.sorted().lazy.compactMap { announced[$0] }.first }
    }

    package let monitor: InternetMonitor
    private let portals: Locked<Portals>
    private let advertisements: AdvertisementWatch
    private let passive: PassiveObserver

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
        let portals = Locked(Portals())
        self.monitor = monitor
        self.portals = portals
        self.passive = passive
        advertisements = AdvertisementWatch(onChange: { portal in
            portals.withLock { $0.announced[Int(portal.interfaceIndex)] = portal.uri }
            monitor.advertised(uri: portals.withLock { $0.uri })
        })
    }

    package func pathChanged(_ path: InternetPath) {
        let uri = portals.withLock { portals in
            portals.interfaces = path.interfaces
            return portals.uri
        }
        // Before the path, whose round then asks it.
        monitor.advertised(uri: uri)
        monitor.pathChanged(path)
    }

    package func resumed() { monitor.resumed() }

    package func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.monitor.run() }
            group.addTask { await self.advertisements.run() }
            // What is seen between two questions: on a constrained path there are none.
            group.addTask { for await report in self.passive.reports() { self.monitor.observed(report) } }
        }
    }
}
