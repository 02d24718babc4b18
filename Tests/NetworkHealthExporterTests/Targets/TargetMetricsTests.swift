import Foundation
import HTTPTransfer
import Posix
import Statistics
import Testing

@testable import NetworkHealthExporter
@testable import Probing

struct TargetMetricsTests {
    private static let start = Date(timeIntervalSince1970: 1_700_000_000)

    /// One that was probed once a second, with these results.
    private static func report(_ target: Target, _ results: [ProbeResult]) -> TargetReport {
        var report = TargetReport(target)
        for (number, result) in results.enumerated() {
            report.statistics.count(result, at: .now)
            _ = report.statistics.show(result, at: start + Double(number))
        }
        return report
    }

    private static func answer(_ milliseconds: Int) -> ProbeResult {
        var result = ProbeResult()
        (result.rtt, result.method, result.device) = (.milliseconds(milliseconds), .icmpDatagram, "eth0")
        result.address = IPAddress("192.0.2.1")
        return result
    }

    @Test func `the last probes of a ping are a median, a mean difference, and a share`() {
        let target = Target(name: "nas", address: "192.0.2.1", probe: ICMPProbe())
        var report = Self.report(
            target,
            [Self.answer(9), Self.answer(13), ProbeResult(failure: .timeout), Self.answer(11)]
        )
        report.statistics.skip(.expensive)
        report.statistics.countLateReply()
        let lines = printed(TargetMetrics.families([report]))
        let nas = #"{target="nas"}"#
        for line in [
            "up\(nas) 1", "last_probe_timestamp_seconds\(nas) 1700000003",
            #"info{target="nas",module="icmp",device="eth0",family="ipv4",method="icmp_datagram"} 1"#,
            "probes_total\(nas) 4", "late_replies_total\(nas) 1",
            #"probe_failures_total{target="nas",reason="timeout"} 1"#,
            #"probe_failures_total{target="nas",reason="unreachable"} 0"#,
            #"skipped_total{target="nas",reason="expensive"} 1"#,
            #"skipped_total{target="nas",reason="constrained"} 0"#,
            "latency_seconds\(nas) 0.011", "jitter_seconds\(nas) 0.003", "loss_ratio\(nas) 0.25",
            #"rtt_seconds_bucket{target="nas",le="0.01"} 1"#, #"rtt_seconds_bucket{target="nas",le="0.02"} 3"#,
            "rtt_seconds_count\(nas) 3",
        ] {
            #expect(lines.contains("network_health_target_\(line)"), "\(line)")
        }
        #expect(!lines.contains { $0.contains("tls_not_after") || $0.contains("target_duration_seconds") })
    }

    @Test func `the last request has its phases in seconds, and when its certificate expires`() {
        var result = ProbeResult()
        result.duration = .milliseconds(1500)
        result.phases.resolve = .milliseconds(1)
        result.phases.connect = .milliseconds(20)
        result.phases.tls = .milliseconds(300)
        result.phases.processing = .seconds(1)
        result.certificateExpiry = Date(timeIntervalSince1970: 1_900_000_000)
        let target = Target(name: "page", address: "https://192.0.2.1/", probe: HTTPProbe())
        let lines = printed(TargetMetrics.families([Self.report(target, [result])]))
        for line in [
            #"phase_duration_seconds{target="page",phase="resolve"} 0.001"#,
            #"phase_duration_seconds{target="page",phase="connect"} 0.02"#,
            #"phase_duration_seconds{target="page",phase="tls"} 0.3"#,
            #"phase_duration_seconds{target="page",phase="processing"} 1"#,
            #"tls_not_after_timestamp_seconds{target="page"} 1900000000"#,
            #"duration_seconds_sum{target="page"} 1.5"#, #"duration_seconds_count{target="page"} 1"#,
            #"latency_seconds{target="page"} 1.5"#, #"loss_ratio{target="page"} 0"#,
        ] {
            #expect(lines.contains("network_health_target_\(line)"), "\(line)")
        }
        #expect(!lines.contains { $0.contains("rtt_seconds") || $0.contains(#"phase="transfer""#) })
    }

    @Test func `the delay of the starts is in seconds, and absent before the first`() {
        var delay = DurationHistogram(bounds: TargetMonitor.startDelayBounds)
        #expect(TargetMetrics.delay(delay).isEmpty)
        delay.observe(.milliseconds(1500))
        let lines = printed(TargetMetrics.delay(delay))
        #expect(lines.suffix(2) == ["_sum 1.5", "_count 1"].map { "network_health_target_start_delay_seconds\($0)" })
    }
}
