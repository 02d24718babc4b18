import Lab
import NetworkHealth
import NetworkPath
import Testing

/// Stopping and starting again.
@Suite(.timeLimit(.minutes(1)))
struct RestartLabTests {
    @Test func `a cancelled monitor has no path, and the current one when it is started again`() async throws {
        let host = try await MonitoredHost()
        try await host.state { $0.isOnline == true }
        let monitor = host.path
        #expect(try monitor.currentPath.status == .satisfied)

        monitor.cancel()
        #expect(throws: PathMonitorError.notStarted) { try monitor.currentPath }
        try host.namespace.ip("link set eth0 down")
        try monitor.start()
        #expect(try monitor.currentPath.status == .unsatisfied)
        try host.namespace.ip("link set eth0 up\nroute add default via 198.18.0.1")
        try await host.state { $0.isOnline == true }
    }

    @Test func `new rules apply at once, and are published as a change`() async throws {
        let host = try await MonitoredHost()
        try await host.state { $0.isOnline == true && !$0.path.isConstrained }
        var configuration = host.path.configuration
        configuration.policy.constrained = true
        host.path.apply(configuration)
        let state = try await host.state { $0.path.isConstrained }.state
        #expect(state.path.constrainedSource == .config)
        #expect(host.statistics.changes[.constrained] == 1)
    }
}
