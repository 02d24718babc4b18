import CLab
import Lab
import NetworkHealth
import NetworkPath
import Posix
import Testing

/// A namespace that looks like a host with a cable, and the monitor core watching it from inside.
///
/// The cable's far end is in a namespace of its own: setting that down is pulling the cable.
final class MonitoredHost: Sendable {
    static let cable = """
        link set lo up
        link set eth0 addrgenmode none
        address add 198.18.0.2/24 dev eth0
        link set eth0 up
        route add default via 198.18.0.1
        """

    let namespace: Namespace
    let far: Namespace
    let path: PathMonitor
    let monitor: HealthMonitor
    private let host: HostMonitor

    init(_ setup: String = "", configure: (inout PathConfiguration) -> Void = { _ in }) async throws {
        namespace = try Namespace()
        far = try Namespace()
        // An index of its own: the kernel reports a lost carrier at once if the two ends have different indices. If the indices
        // are equal, it may wait until one second after the last link event (net/core/link_watch.c).
        try namespace.ip("link add eth0 index 142 type veth peer name far0 netns \(far.name)")
        try far.ip("link set far0 addrgenmode none\naddress add 198.18.0.1/24 dev far0\nlink set far0 up")
        try namespace.ip(Self.cable + "\n" + setup)
        try await Self.awaitCables(in: namespace)
        var configuration = PathConfiguration()
        configuration.watchesNetworkManager = false
        configuration.policy.viewpoint = .host
        configure(&configuration)
        let file = "/run/netns/\(namespace.name)"
        host = HostMonitor(configuration: configuration) {
            if nhe_enter_network_namespace(file) != 0 { Issue.record("cannot enter \(file)") }
        }
        (path, monitor) = (host.path, host.health)
        try host.start()
    }

    deinit { host.stop() }

    private struct JSONLink: Decodable {
        var flags: [String]
        var operstate: String
    }

    /// Waits until the links that are up have found their carrier, which the kernel may work out up to a second later.
    private static func awaitCables(in namespace: Namespace) async throws {
        try await Lab.eventually("the carrier of the cables") {
            try !namespace.json([JSONLink].self, "link").contains {
                $0.operstate == "LOWERLAYERDOWN" || $0.flags.contains("LOWER_UP") && $0.operstate == "DOWN"
            }
        }
    }

    /// The first state that satisfies `condition`, the current one included, and when it was seen.
    @discardableResult
    func state(
        within limit: Duration = .seconds(30),
        where condition: @escaping @Sendable (HealthState) -> Bool
    ) async throws -> (state: HealthState, seenAt: SuspendingClock.Instant) {
        let monitor = monitor
        let found = await withTaskGroup(of: (HealthState, SuspendingClock.Instant)?.self) { group in
            group.addTask {
                for await state in monitor.changes() where condition(state) { return (state, .now) }
                return nil
            }
            group.addTask {
                // The limit of the wait, which a state ends earlier.
                try? await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        guard let found else {
            throw Failure(description: "not within \(limit); now \(String(describing: monitor.current))")
        }
        return (found.0, found.1)
    }

    /// Waits for a count or a record that no state tells of, looking every 5 ms.
    func eventually(
        within limit: Duration = .seconds(30),
        _ what: String = "what was waited for",
        _ condition: () async throws -> Bool
    ) async throws {
        try await Lab.eventually(what, within: limit, condition)
    }

    var statistics: PathStatistics { path.statistics }
}
