import Statistics
import Testing

@testable import NetworkHealthExporter

struct ExporterMetricsTests {
    @Test func `the traffic of each component is counted in bytes, by direction`() {
        let traffic: [OwnTrafficMetrics.Component: ByteCounts] = [
            .internet: ByteCounts(received: 1, transmitted: 2), .queue: ByteCounts(received: 3, transmitted: 4000),
        ]
        #expect(
            printed(OwnTrafficMetrics.families(traffic)).filter { !$0.hasSuffix(" 0") } == [
                #"network_health_exporter_receive_bytes_total{component="internet"} 1"#,
                #"network_health_exporter_receive_bytes_total{component="queue"} 3"#,
                #"network_health_exporter_transmit_bytes_total{component="internet"} 2"#,
                #"network_health_exporter_transmit_bytes_total{component="queue"} 4000"#,
            ]
        )
    }

    @Test func `the file can be written or not, and the history has a size in bytes once it was counted`() {
        #expect(printed(StorageMetrics.families(isUp: true)) == ["network_health_storage_up 1"])
        #expect(printed(StorageMetrics.families(isUp: false)) == ["network_health_storage_up 0"])
        #expect(printed(HistoryService.families(bytes: 1_234_567)) == ["network_health_history_bytes 1234567"])
        #expect(printed(HistoryService.families(bytes: nil)).isEmpty)
    }
}
