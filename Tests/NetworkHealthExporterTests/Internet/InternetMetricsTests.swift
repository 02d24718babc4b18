import Foundation
import Posix
import Testing

@testable import NetworkHealthExporter
@testable import Probing

struct InternetMetricsTests {
    @Test
    func `a verdict is the state of the internet and of each family, with what degrades it, and the MTU in bytes`() {
        let verdict = InternetVerdict(
            state: .degraded,
            families: [.ipv4: .online, .ipv6: .degraded],
            degradedReasons: [.mtu],
            evidenceAt: .now,
            pathMTU: [.ipv6: 1400],
            generation: 1
        )
        let lines = printed(InternetMetrics.verdict(verdict))
        #expect(
            lines.filter { $0.hasSuffix(" 1") } == [
                #"network_health_internet_state{state="degraded"} 1"#,
                #"network_health_internet_degraded_reason{reason="mtu"} 1"#,
                #"network_health_internet_family_state{family="ipv4",state="online"} 1"#,
                #"network_health_internet_family_state{family="ipv6",state="degraded"} 1"#,
            ]
        )
        #expect(
            lines.filter { !$0.hasSuffix(" 1") && !$0.hasSuffix(" 0") } == [
                #"network_health_path_mtu_bytes{family="ipv6"} 1400"#
            ]
        )
        #expect(InternetMetrics.verdict(nil).isEmpty)
    }

    /// That of a container's host, which is adopted without its reasons.
    @Test func `a degraded state without a reason has no reason that is 0`() {
        let lines = printed(InternetMetrics.verdict(InternetVerdict(state: .degraded, evidenceAt: .now, generation: 1)))
        #expect(lines.contains(#"network_health_internet_state{state="degraded"} 1"#))
        #expect(!lines.contains { $0.contains("degraded_reason") })
        let online = printed(InternetMetrics.verdict(InternetVerdict(state: .online, evidenceAt: .now, generation: 1)))
        #expect(online.contains(#"network_health_internet_degraded_reason{reason="mtu"} 0"#))
    }

    @Test func `checks are counted by probe and family, with times in seconds`() {
        var statistics = InternetStatistics()
        var sample = InternetSample("own", .ipv4, ProbeResult())
        (sample.isProof, sample.duration) = (true, .milliseconds(250))
        statistics.add(sample, date: Date(timeIntervalSince1970: 1_700_000_000.5), at: .now)
        (sample.failure, sample.duration) = (.timeout, .seconds(9))
        statistics.add(sample, date: Date(timeIntervalSince1970: 1_700_000_060), at: .now)
        let lines = printed(InternetMetrics.statistics(statistics))
        for line in [
            #"internet_last_success_timestamp_seconds{family="ipv4"} 1700000000.5"#,
            #"internet_probes_total{probe="own",family="ipv4"} 2"#,
            #"internet_probe_failures_total{probe="own",family="ipv4",reason="timeout"} 1"#,
            #"internet_probe_failures_total{probe="own",family="ipv4",reason="tls"} 0"#,
            #"internet_probe_duration_seconds_bucket{probe="own",family="ipv4",le="0.1"} 0"#,
            #"internet_probe_duration_seconds_bucket{probe="own",family="ipv4",le="0.25"} 1"#,
            #"internet_probe_duration_seconds_sum{probe="own",family="ipv4"} 0.25"#,
            #"internet_probe_duration_seconds_count{probe="own",family="ipv4"} 1"#,
        ] {
            #expect(lines.contains("network_health_\(line)"), "\(line)")
        }
        #expect(!lines.contains { $0.contains("clock_skew") }, "no server sent a date")
    }

    @Test(arguments: [(90_000, "90"), (-1500, "-1.5"), (0, "0")])
    func `the skew of the clock is in seconds, and positive where this host's is ahead`(
        milliseconds: Int,
        printed value: String
    ) {
        var statistics = InternetStatistics()
        statistics.note(.milliseconds(milliseconds), over: .ipv4)
        #expect(printed(InternetMetrics.statistics(statistics)) == ["network_health_clock_skew_seconds \(value)"])
    }
}
