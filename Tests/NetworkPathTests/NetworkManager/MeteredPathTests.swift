import CLab
import Glibc
import Lab
import Testing

@testable import NetworkPath

/// A path over a real device whose cost NetworkManager knows: dbusmock on a private bus, a veth in a namespace.
@Suite(.timeLimit(.minutes(3)))
struct MeteredPathTests {
    /// A host with one device, watched together with a bus.
    private struct Host {
        let namespace: Namespace
        let monitor: PathMonitor

        init(device: String, bus: String, viewpoint: Path.Viewpoint? = nil) throws {
            namespace = try Namespace(
                """
                link add \(device) type veth peer name far0
                link set far0 up
                address add 198.18.0.2/24 dev \(device)
                link set \(device) up
                route add default via 198.18.0.1
                """
            )
            var configuration = PathConfiguration()
            configuration.busAddress = bus
            configuration.policy.viewpoint = viewpoint
            let path = "/run/netns/\(namespace.name)"
            monitor = PathMonitor(
                configuration: configuration,
                onUpdate: { _ in },
                prepareThread: {
                    if nhe_enter_network_namespace(path) != 0 { Issue.record("cannot enter \(path)") }
                }
            )
            try monitor.start()
        }

        /// The first path that is as expected, the current one included.
        func path(where isExpected: (Path) -> Bool) async throws -> Path {
            for await update in monitor.updates() where isExpected(update.path) { return update.path }
            throw Failure(description: "cancelled")
        }
    }

    @Test(arguments: [
        (1, true, CostSource.networkManagerYes), (2, false, .networkManagerNo), (3, true, .networkManagerGuess),
        (4, false, .unknown),
    ])
    func `NetworkManager's state of the device decides`(metered: Int, isExpensive: Bool, source: CostSource)
        async throws
    {
        let mock = try MockNetworkManager()
        try mock.start()
        try mock.addDevice("eth0", properties: [["Metered", "u", "\(metered)"]])
        let host = try Host(device: "eth0", bus: mock.address)
        let path = try await host.path { $0.status == .satisfied && $0.metered != .unknown }
        #expect(path.isExpensive == isExpensive)
        #expect(path.expensiveSource == source)
    }

    @Test func `its no beats our own guess`() async throws {
        let mock = try MockNetworkManager()
        try mock.startBus()
        let host = try Host(device: "rmnet0", bus: mock.address)
        // Without NetworkManager a modem's name decides.
        let guessed = try await host.path { $0.status == .satisfied }
        #expect(guessed.isExpensive && guessed.expensiveSource == .cellular)

        try mock.startDaemon()
        try #require(NetworkManagerLoop(mock.address).run { $0.isUp })
        // The mock announces a change of a property, not its being there.
        try mock.addDevice("rmnet0", properties: [["Metered", "u", "0"]])
        try mock.changeDevice("rmnet0", ["Metered", "u", "2"])
        let reported = try await host.path { $0.expensiveSource == .networkManagerNo }
        #expect(!reported.isExpensive)
        #expect(host.monitor.statistics.changes[.expensive, default: 0] > 0)
    }

    @Test func `the cost of a host's device is not known before NetworkManager has answered, nor while it restarts`()
        async throws
    {
        let mock = try MockNetworkManager()
        try mock.start()
        try mock.addDevice("eth0", properties: [["Metered", "u", "1"]])
        let daemon = try #require(mock.daemon)
        kill(daemon.identifier, SIGSTOP)
        defer { kill(daemon.identifier, SIGCONT) }
        let host = try Host(device: "eth0", bus: mock.address, viewpoint: .host)
        let first = try await host.path { $0.status == .satisfied }
        #expect(!first.isCostKnown && !first.isExpensive)
        kill(daemon.identifier, SIGCONT)
        let answered = try await host.path { $0.isExpensive }
        #expect(answered.expensiveSource == .networkManagerYes)
        mock.stopDaemon()
        let lost = try await host.path { !$0.isExpensive }
        #expect(!lost.isCostKnown, "it may be restarting")
    }

    @Test func `a change arrives as an event, and the daemon's death drops what it said`() async throws {
        let mock = try MockNetworkManager()
        try mock.start()
        try mock.addDevice("eth0", properties: [["Metered", "u", "4"]])
        let host = try Host(device: "eth0", bus: mock.address)
        _ = try await host.path { $0.metered == .guessNo }
        let before = host.monitor.statistics.rawEvents[.metered, default: 0]

        try mock.changeDevice("eth0", ["Metered", "u", "1"])
        let metered = try await host.path { $0.isExpensive }
        #expect(metered.expensiveSource == .networkManagerYes)
        #expect(host.monitor.statistics.rawEvents[.metered, default: 0] > before)

        mock.stopDaemon()
        let forgotten = try await host.path { !$0.isExpensive }
        #expect(forgotten.expensiveSource == .unknown && forgotten.metered == .unknown)
    }
}
