import NetworkPath
import Testing

@testable import NetworkHealth
@testable import NetworkHealthExporter

struct UplinkMetricsTests {
    private static func report(_ name: String, _ change: (inout UplinkReport) -> Void = { _ in }) -> UplinkReport {
        var report = UplinkReport(UplinkRecord(name, at: .now), isExpensive: nil)
        change(&report)
        return report
    }

    @Test func `an uplink has its latency and its times in seconds, and its loss as a share`() {
        let report = Self.report("lte") {
            ($0.interface, $0.provider) = (Interface(name: "wwan0", index: 2, type: .cellular), "Mobile Ltd")
            ($0.isActive, $0.isOnline, $0.isExpensive) = (true, false, true)
            ($0.latency, $0.lossRatio) = (.milliseconds(45), 0.25)
            ($0.outages, $0.switches, $0.switchesInside) = (2, 3, [.hop: 2])
            ($0.offline, $0.active) = (.milliseconds(90_500), .seconds(3600))
        }
        #expect(
            printed(UplinkMetrics.info([report]) + UplinkMetrics.families([report])) == [
                #"network_health_uplink_info{uplink="lte",device="wwan0",provider="Mobile Ltd"} 1"#,
                #"network_health_uplink_active{uplink="lte"} 1"#,
                #"network_health_uplink_testable{uplink="lte"} 1"#,
                #"network_health_uplink_online{uplink="lte"} 0"#,
                #"network_health_uplink_expensive{uplink="lte"} 1"#,
                #"network_health_uplink_latency_seconds{uplink="lte"} 0.045"#,
                #"network_health_uplink_loss_ratio{uplink="lte"} 0.25"#,
                #"network_health_uplink_outages_total{uplink="lte"} 2"#,
                #"network_health_uplink_offline_seconds_total{uplink="lte"} 90.5"#,
                #"network_health_uplink_active_seconds_total{uplink="lte"} 3600"#,
                #"network_health_uplink_switches_total{uplink="lte",source="route"} 3"#,
                #"network_health_uplink_switches_total{uplink="lte",source="hop"} 2"#,
                #"network_health_uplink_switches_total{uplink="lte",source="address"} 0"#,
            ]
        )
    }

    @Test func `what is not known of an uplink is absent`() {
        let report = Self.report("lte") { $0.obstacle = .kernel(.noRoute) }
        #expect(UplinkMetrics.info([report]).isEmpty, "without a device")
        #expect(
            printed(UplinkMetrics.families([report])) == [
                #"network_health_uplink_active{uplink="lte"} 0"#,
                #"network_health_uplink_testable{uplink="lte"} 0"#,
                #"network_health_uplink_outages_total{uplink="lte"} 0"#,
                #"network_health_uplink_offline_seconds_total{uplink="lte"} 0"#,
                #"network_health_uplink_active_seconds_total{uplink="lte"} 0"#,
                #"network_health_uplink_switches_total{uplink="lte",source="route"} 0"#,
                #"network_health_uplink_switches_total{uplink="lte",source="hop"} 0"#,
                #"network_health_uplink_switches_total{uplink="lte",source="address"} 0"#,
            ]
        )
    }
}
