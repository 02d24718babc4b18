import Coordination
import Lab
import NetworkHealth
import Posix
import Probing
import Statistics
import Testing

@testable import NetworkHealthExporter
@testable import NetworkPath

@Suite(.timeLimit(.minutes(3))) struct UplinkServiceTests {
    /// Its clock stands still, so that no round becomes due.
    @Test func `after a suspend an uplink that is not in use is asked at once, and not only after its interval`()
        async throws
    {
        let fixture = try await CollectorFixture.opened()
        var configuration = fixture.context.configuration
        // The port is closed, so that a round ends at once. With the permission to send probes, such as that of root, it costs bytes.
        let port = try Loopback.closedPort()
        configuration.internet.configuration.literals = [try #require(SocketAddress("127.0.0.1:\(port)"))]
        fixture.uplinks.apply(configuration)
        fixture.goOnline()
        var standby = WayOut.testable(1)
        standby.interface.name = "lo"
        fixture.uplinks.decide([.blocked(0), standby], fixture.health.current)
        let run = Task { try await fixture.uplinks.run() }
        defer { run.cancel() }
        try await eventually("the first round") { fixture.uplinks.traffic.transmitted > 0 }
        let first = fixture.uplinks.traffic.transmitted
        let own = try #require(fixture.collectors.first { $0.name == "own_traffic" })
        let sent = #"network_health_exporter_transmit_bytes_total{component="uplinks"} \#(first)"#
        #expect(printed(try own.families()).contains(sent))
        fixture.path.resumes.send(1)
        try await eventually("a round after the suspend") { fixture.uplinks.traffic.transmitted > first }
    }
}
