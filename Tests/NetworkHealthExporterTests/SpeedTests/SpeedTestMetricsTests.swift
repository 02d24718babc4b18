import Foundation
import SpeedTestCore
import Testing

@testable import NetworkHealthExporter

struct SpeedTestMetricsTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_100)

    private func lines(_ reports: [SpeedTestReport]) throws -> [String] {
        var saved = SpeedTestHistory.Saved()
        saved.reports = reports
        var section = SpeedTestSection()
        section.isEnabled = true
        section.servers = [.home]
        let state = SpeedTestState(section: section, saved: saved, now: now)
        return printed(SpeedTestMetrics.families(.init(state, on: "eth0 198.18.0.254", at: now)))
    }

    @Test func `without a configured server there are no metrics`() {
        let state = SpeedTestState(section: SpeedTestSection(), saved: .init(), now: now)
        #expect(SpeedTestMetrics.families(.init(state, on: "eth0 198.18.0.254", at: now)).isEmpty)
        #expect(SpeedTestMetrics.measured([]).isEmpty)
    }

    @Test func `before the first test counters are 0 and gauges absent`() throws {
        let lines = try lines([])
        #expect(lines.contains("network_health_speedtest_runs_total 0"))
        #expect(lines.contains(#"network_health_speedtest_failures_total{reason="short"} 0"#))
        #expect(lines.contains(#"network_health_speedtest_skipped_total{reason="gap"} 0"#))
        #expect(lines.contains(#"network_health_speedtest_skipped_total{reason="storage"} 0"#))
        #expect(lines.contains("network_health_speedtest_in_progress 0"))
        #expect(!lines.contains { $0.contains("speedtest_success{") || $0.contains("download_bytes_per_second") })
        #expect(
            lines.contains(
                #"network_health_speedtest_server_info{server="home",protocol="speedlab",host="198.18.0.1:10319",congestion_control=""} 1"#
            )
        )
    }

    @Test func `a good test has times in seconds, speeds in bytes per second, and what is not measured is absent`()
        throws
    {
        let lines = try lines([.good()])
        let labels = #"{server="home",uplink="eth0"}"#
        for line in [
            "success\(labels) 1", "duration_seconds\(labels) 12.5", "last_run_timestamp_seconds\(labels) 1700000012.5",
            "last_success_timestamp_seconds\(labels) 1700000012.5",
            "download_bytes_per_second\(labels) 12500000", "upload_bytes_per_second\(labels) 1250000",
            "idle_latency_seconds\(labels) 0.02", "jitter_seconds\(labels) 0.001",
            #"loaded_latency_seconds{server="home",uplink="eth0",direction="download"} 0.08"#,
            #"responsiveness_rpm{server="home",uplink="eth0",direction="download"} 500"#,
            #"limited{server="home",uplink="eth0",direction="download",reason="data_cap"} 1"#,
            #"limited{server="home",uplink="eth0",direction="upload",reason="data_cap"} 0"#,
            #"budget_bytes{period="run"} 500000000"#, #"budget_remaining_bytes{period="month"} 20000000000"#,
        ] {
            #expect(lines.contains("network_health_speedtest_\(line)"), "\(line)")
        }
        #expect(!lines.contains { $0.contains("rpm") && $0.contains("upload") }, "not measured is absent")
        #expect(lines.contains { $0.contains(#"server_info"#) && $0.contains(#"congestion_control="cubic""#) })
    }

    @Test func `a rate has its uncertainty as a share, and is stable where that is at most 2 percent`() throws {
        var report = SpeedTestReport.good()
        report.upload?.uncertainty = 0.05
        let lines = try lines([report])
        for line in [
            #"uncertainty_ratio{server="home",uplink="eth0",direction="download"} 0.01"#,
            #"uncertainty_ratio{server="home",uplink="eth0",direction="upload"} 0.05"#,
            #"stable{server="home",uplink="eth0",direction="download"} 1"#,
            #"stable{server="home",uplink="eth0",direction="upload"} 0"#,
        ] {
            #expect(lines.contains("network_health_speedtest_\(line)"), "\(line)")
        }
    }

    @Test func `what tests have used is counted in bytes, and leaves the budget`() throws {
        var state = SpeedTestState.home()
        state.endServer(.good(), now: SpeedTestState.start)
        state.endServer(.failed(.reset), now: SpeedTestState.start)
        state.count(.confirmed)
        let facts = SpeedTestMetrics.Facts(state, on: "eth0 198.18.0.254", at: SpeedTestState.start)
        let lines = printed(SpeedTestMetrics.families(facts))
        for line in [
            "receive_bytes_total 60000010", "transmit_bytes_total 7001000",
            #"failures_total{reason="reset"} 1"#, #"failures_total{reason="timeout"} 0"#,
            #"budget_bytes{period="run"} 500000000"#, #"budget_bytes{period="day"} 4000000000"#,
            #"budget_bytes{period="month"} 20000000000"#, #"budget_remaining_bytes{period="run"} 500000000"#,
            #"budget_remaining_bytes{period="day"} 3932998990"#,
            #"budget_remaining_bytes{period="month"} 19932998990"#,
        ] {
            #expect(lines.contains("network_health_speedtest_\(line)"), "\(line)")
        }
    }

    @Test func `the next test is a Unix time, and a result is stale after twice the longest gap, in seconds`() throws {
        let state = SpeedTestState.home { $0.schedule.rhythm = .interval(.seconds(21_600)) }
        let lines = printed(SpeedTestMetrics.families(.init(state, on: "eth0", at: SpeedTestState.start)))
        // The delay of `jitter`, 300 s, comes on top of the interval.
        #expect(lines.contains("network_health_speedtest_stale_after_seconds 43800"))
        let prefix = "network_health_speedtest_next_run_timestamp_seconds "
        let next = try #require(lines.first { $0.hasPrefix(prefix) }.flatMap { Double($0.dropFirst(prefix.count)) })
        #expect(next == state.nextRun?.timeIntervalSince1970 && next > 1_700_000_000 && next < 1_700_022_000)
    }

    @Test func `where packets waited in the last test is a state set, absent where it was not measured`() throws {
        let lines = try lines([.queued]).filter { $0.contains("queue_location") }
        let name = #"network_health_speedtest_queue_location{server="home",uplink="eth0",direction="#
        let places = ["none", "link", "access", "provider", "unknown"]
        let down = places.map { #"\#(name)"download",location="\#($0)"} \#($0 == "access" ? 1 : 0)"# }
        let up = places.map { #"\#(name)"upload",location="\#($0)"} \#($0 == "none" ? 1 : 0)"# }
        #expect(lines == down + up)
        #expect(try !self.lines([.queued, .good(at: 1_700_000_050)]).contains { $0.contains("queue_location") })
    }

    @Test func `of several tests in a file each value is the last good one`() {
        var half = SpeedTestReport.failed(.reset, at: 1_700_000_500)
        half.download = .of(50)
        let lines = printed(SpeedTestMetrics.measured(SpeedTestResults([.good(), half]).servers))
        let labels = #"{server="home",uplink="eth0"}"#
        for line in [
            "success\(labels) 0", "download_bytes_per_second\(labels) 6250000",
            "upload_bytes_per_second\(labels) 1250000",
        ] {
            #expect(lines.contains("network_health_speedtest_\(line)"), "\(line)")
        }
    }

    @Test func `a failed test changes no value`() throws {
        let lines = try lines([.good(), .failed(at: 1_700_000_050)])
        #expect(lines.contains(#"network_health_speedtest_success{server="home",uplink="eth0"} 0"#))
        #expect(
            lines.contains(
                #"network_health_speedtest_download_bytes_per_second{server="home",uplink="eth0"} 12500000"#
            )
        )
        #expect(
            lines.contains(
                #"network_health_speedtest_last_success_timestamp_seconds{server="home",uplink="eth0"} 1700000012.5"#
            )
        )
    }
}
