import NetworkHealth
import SpeedTestCore
import Testing

@testable import NetworkHealthExporter

struct PlanMetricsTests {
    private static func lines(_ line: PlanSection) -> [String] {
        let results = SpeedTestResults([.good()]).servers
        return printed(
            PlanMetrics.families(
                .init(plans: Plans(line: line), results: results, confirmations: [.confirmed: 2, .failed: 1])
            )
        )
    }

    @Test func `a plan is in bytes per second, and the last speeds are shares of its normal one`() {
        var plan = PlanSection()
        plan.uplink = "eth0"
        (plan.speeds.download.maximum, plan.speeds.download.normal) = (250_000_000, 200_000_000)
        plan.speeds.upload.minimum = 8_000_000
        #expect(
            Self.lines(plan) == [
                #"network_health_plan_bytes_per_second{uplink="eth0",direction="download",level="maximum"} 31250000"#,
                #"network_health_plan_bytes_per_second{uplink="eth0",direction="download",level="normal"} 25000000"#,
                #"network_health_plan_bytes_per_second{uplink="eth0",direction="upload",level="minimum"} 1000000"#,
                #"network_health_speedtest_plan_ratio{server="home",uplink="eth0",direction="download"} 0.5"#,
                #"network_health_speedtest_confirmations_total{result="confirmed"} 2"#,
                #"network_health_speedtest_confirmations_total{result="refuted"} 0"#,
                #"network_health_speedtest_confirmations_total{result="failed"} 1"#,
            ]
        )
    }

    @Test func `without a plan there are no metrics, and no share on an uplink that is not the plan's`() {
        #expect(Self.lines(PlanSection()).isEmpty)
        var plan = PlanSection()
        (plan.uplink, plan.speeds.download.normal) = ("wwan0", 200_000_000)
        #expect(!Self.lines(plan).contains { $0.contains("plan_ratio") })
    }
}
