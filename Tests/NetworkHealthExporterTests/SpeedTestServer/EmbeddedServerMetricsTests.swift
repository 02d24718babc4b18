import SpeedTestCore
import Testing

@testable import NetworkHealthExporter

struct EmbeddedServerMetricsTests {
    @Test func `off prints nothing, on prints every reason`() throws {
        #expect(EmbeddedServerMetrics.families(nil).isEmpty)
        let server = EmbeddedServer(limits: ServerLimits())
        _ = try? server.check(peer: "8.8.8.8", foreignOrigin: nil)
        let transfer = try server.begin(peer: "127.0.0.1")
        _ = transfer.transmit(5)
        let lines = printed(EmbeddedServerMetrics.families(server.statistics))
        for line in [
            "network_health_embedded_server_active_transfers 1",
            "network_health_embedded_server_receive_bytes_total 0",
            "network_health_embedded_server_transmit_bytes_total 5",
            "network_health_embedded_server_rejected_total{reason=\"address\"} 1",
        ]
            + ["cross_site", "clients", "bytes", "bytes_per_day", "duration"].map({
                "network_health_embedded_server_rejected_total{reason=\"\($0)\"} 0"
            })
        {
            #expect(lines.contains(line), "\(line)")
        }
    }
}
