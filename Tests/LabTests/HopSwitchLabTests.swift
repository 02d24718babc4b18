import Coordination
import HTTPTransfer
import Lab
import NetworkHealth
import Posix
import Testing

@testable import Probing

/// A failover inside the router: nothing changes for the host but the first hop behind it.
@Suite(.timeLimit(.minutes(1)))
struct HopSwitchLabTests {
    @Test func `A router that moves to another provider is seen once over both families, and counted once`()
        async throws
    {
        let line = try ProviderLine()
        let second = try line.addProvider()
        var configuration = HopConfiguration()
        configuration.destinations = ProviderLine.destinations
        configuration.interval = HopSchedule.shortestInterval
        let log = RefusalLog()
        let probe = HopProbe(
            device: "far",
            readiness: try Readiness(name: "hop-switch"),
            refusals: log,
            openSocket: line.host.openSocket
        )
        let monitor = HopMonitor(configuration, probing: probe, refusals: log)
        let moves = monitor.moves.values()
        monitor.pathChanged(InternetPath(generation: 1, isSatisfied: true, families: [.ipv4, .ipv6]))
        let families = try await withThrowingTaskGroup { group in
            group.addTask { await monitor.run() }
            defer { group.cancelAll() }
            try await eventually("six replies of each hop") {
                monitor.reports.count >= 2
                    && monitor.reports.allSatisfy { ($0.hops.dropFirst().first?.replies ?? 0) >= 6 }
            }
            try line.router.ip("route replace default via 198.18.4.1\nroute replace default via 2001:db8:4::1")
            var families: [AddressFamily] = []
            for await family in moves.prefix(2) { families.append(family) }
            return families
        }
        #expect(Set(families) == [.ipv4, .ipv6])
        for report in monitor.reports {
            let network = report.family == .ipv4 ? "198.18.4.1" : "2001:db8:4::1"
            #expect(report.hops[1].addresses.last.map { "\($0)" } == network)
        }
        var inside = InsideSwitches()
        let counted = families.filter { inside.take(InsideSwitches.Sign(.hop, $0), at: .now) }
        #expect(counted.count == 1)
        withExtendedLifetime(second) {}
    }
}
