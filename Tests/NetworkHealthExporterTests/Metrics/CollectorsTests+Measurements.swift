import Foundation
import SpeedTestCore
import Testing

@testable import NetworkHealth
@testable import NetworkHealthExporter
@testable import NetworkPath
@testable import Probing

extension CollectorsTests {
    /// What is probed and tested.
    static let measurements = [
        Change("internet_probes", "a check", #"network_health_internet_probes_total{probe="google",family="ipv4"} 1"#) {
            try $0.check()
        },
        Change(
            "internet_probes",
            "another probe",
            #"network_health_internet_probes_total{probe="own",family="ipv4"} 0"#
        ) {
            var configuration = InternetConfiguration()
            configuration.probes[0].name = "own"
            try #require($0.internet.monitor).apply(configuration)
        },
        Change("targets", "a probe", #"network_health_target_up{target="here"} 1"#) { $0.probe(1) },
        Change("targets", "a late reply", #"network_health_target_late_replies_total{target="here"} 1"#) {
            $0.targets.monitor.lateReply(of: "here")
        },
        Change("targets", "a configuration", #"network_health_target_probes_total{target="there"} 0"#) {
            var target = CollectorFixture.target
            target.name = "there"
            $0.targets.monitor.apply(targets: [target], onExpensive: .run)
        },
        Change("target_delay", "a probe", "network_health_target_start_delay_seconds_count 1") { $0.probe(1) },
        Change("latency", "of a target", "network_health_latency_seconds 0.003") { $0.probe(3) },
        Change("latency", "of the internet", "network_health_latency_seconds 0.04") { try $0.check(3) },
        Change("latency", "of other programs", "network_health_latency_seconds 0.05") { $0.observe(3) },
        Change("latency", "of the host", "network_health_latency_seconds 0.02", before: followed) { fixture in
            var snapshot = SnapshotDocument(.online())
            snapshot.latency = 0.02
            try #require(fixture.follower).take(snapshot, nil)
        },
        Change("uplinks", "a second one", #"network_health_uplink_testable{uplink="eth1"} 0"#) { fixture in
            fixture.uplinks.decide([.blocked(0), .blocked(1)])
        },
        Change("passive", "a flow", "network_health_passive_rtt_seconds_count 1") { $0.observe() },
        Change("own_traffic", "a target", #"network_health_exporter_receive_bytes_total{component="targets"} 64"#) {
            $0.probe(1)
        },
        Change("own_traffic", "the internet", #"network_health_exporter_receive_bytes_total{component="internet"} 100"#)
        {
            try $0.check()
        },
        Change(
            "own_traffic",
            "a speed test",
            #"network_health_exporter_receive_bytes_total{component="speedtest"} 60000000"#
        ) {
            $0.test(.good(at: Date.now.timeIntervalSince1970))
        },
        Change("speedtest", "a test", #"network_health_speedtest_success{server="home",uplink="eth0"} 1"#) {
            $0.test(.good(at: Date.now.timeIntervalSince1970))
        },
        Change(
            "plan",
            "a test",
            #"network_health_speedtest_plan_ratio{server="home",uplink="eth0",direction="download"} 0.5"#
        ) {
            $0.test(.good(at: Date.now.timeIntervalSince1970))
        },
        Change(
            "speedtest",
            "a test of the host",
            #"network_health_speedtest_last_run_timestamp_seconds{server="home",uplink="wlan0"} 1700000012.5"#,
            before: followed
        ) { fixture in
            let report = SpeedTestReport.good(uplink: "wlan0 198.18.0.1")
            let document = SpeedTestDocument(
                last: LastSpeedTest(report: report, bytesPerMonth: nil),
                results: [SpeedTestResults.Values(report)]
            )
            let tests = HostSpeedTests(String(decoding: document.json, as: UTF8.self))
            try #require(fixture.follower).take(nil, tests)
        },
        Change(
            "speedtest",
            "another uplink",
            #"network_health_speedtest_success{server="home",uplink="eth0"} 0"#,
            before: testedTwice
        ) {
            $0.receive { $0.gateways = ["198.18.0.1"] }
        },
    ]

    /// The host's exporter answers, and no test is configured here.
    private static let followed: Step = { fixture in
        try #require(fixture.follower).take(SnapshotDocument(.online()).json)
        fixture.speedTests.board.update { $0.apply(SpeedTestSection(), SpeedTestNetwork(), now: .now) }
    }
}
