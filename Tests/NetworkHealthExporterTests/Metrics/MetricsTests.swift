import Coordination
import Foundation
import MicroHTTP
import Netlink
import NetworkPath
import Statistics
import Testing

@testable import NetworkHealth
@testable import NetworkHealthExporter

struct MetricsTests {
    @Test func `the build is one series with every label`() {
        #expect(
            printed(BuildMetrics.families()) == [
                "network_health_exporter_build_info{version=\"\(Version.number)\",revision=\"\(Version.revision)\","
                    + "branch=\"\(Version.branch)\",swift_version=\"\(Version.swift)\",os=\"linux\","
                    + "arch=\"\(Version.architecture)\"} 1"
            ]
        )
    }

    @Test func `the configuration's outcome`() {
        var outcome = ReloadOutcome.success(at: Date(timeIntervalSince1970: 1_700_000_000.5))
        #expect(
            printed(ConfigurationMetrics.families(outcome)) == [
                "network_health_exporter_config_last_reload_successful 1",
                "network_health_exporter_config_last_reload_success_timestamp_seconds 1700000000.5",
            ]
        )
        outcome.wasSuccessful = false
        #expect(printed(ConfigurationMetrics.families(outcome)).first?.hasSuffix(" 0") == true)
    }

    @Test func `requests count from 0 for each handler, by code`() {
        let requests = RequestMetrics()
        requests.declare(handlers: ["metrics", "health"])
        requests.count(handler: "metrics", code: 200)
        requests.count(handler: "health", code: 503)
        requests.count(handler: "health", code: 503)
        #expect(
            printed(requests.families()) == [
                #"network_health_exporter_http_requests_total{handler="health",code="200"} 0"#,
                #"network_health_exporter_http_requests_total{handler="health",code="503"} 2"#,
                #"network_health_exporter_http_requests_total{handler="metrics",code="200"} 1"#,
            ]
        )
    }

    @Test func `connections are counted while they are open, and refusals by reason`() {
        let requests = RequestMetrics()
        let events: [Server.ConnectionEvent] = [
            .opened, .opened, .opened, .closed, .refused(.total), .refused(.address), .refused(.address),
        ]
        for event in events { requests.count(event) }
        requests.rejectStream()
        #expect(
            printed(RequestMetrics.families(requests.connections)) == [
                "network_health_exporter_http_connections 2",
                #"network_health_exporter_http_rejected_total{reason="total"} 1"#,
                #"network_health_exporter_http_rejected_total{reason="address"} 2"#,
                #"network_health_exporter_http_rejected_total{reason="descriptors"} 0"#,
                #"network_health_exporter_http_rejected_total{reason="evicted"} 0"#,
                #"network_health_exporter_http_rejected_total{reason="streams"} 1"#,
            ]
        )
    }

    @Test func `before the first verdict nothing is printed, not 0`() {
        #expect(printed(ConnectivityMetrics.families(nil)).isEmpty)
        #expect(printed(PathMetrics.families(nil)).isEmpty)
        #expect(printed(OutageMetrics.counts(nil) + OutageMetrics.times(nil, at: .now)).isEmpty)
        let monitor = printed(MonitorMetrics.families(MonitorMetrics.Facts(statistics: PathStatistics())))
        #expect(!monitor.contains { $0.contains("deliver") })
        #expect(monitor.contains(#"network_health_path_changes_total{field="status"} 0"#))
    }

    @Test func `connectivity while online`() {
        let state = HealthState.online { $0.isExpensive = true }
        let lines = printed(ConnectivityMetrics.families(state))
        #expect(
            Array(lines.prefix(8)) == [
                "network_health_online 1", "network_health_connected 1", "network_health_expensive 1",
                "network_health_constrained 0", #"network_health_path_status{status="connected"} 1"#,
                #"network_health_path_status{status="disconnected"} 0"#,
                #"network_health_path_status{status="requires_connection"} 0"#,
                #"network_health_path_status{status="unsatisfied"} 0"#,
            ]
        )
        #expect(
            lines.filter { $0.hasPrefix("network_health_path_unsatisfied_reason") && $0.hasSuffix(" 0") }.count == 9
        )
        #expect(lines.filter { $0.hasPrefix("network_health_interface_type") }.count == 5)
        #expect(lines.contains(#"network_health_interface_type{interface_type="wifi"} 1"#))
    }

    @Test func `connectivity while offline`() {
        let lines = printed(ConnectivityMetrics.families(.offline(.linkDown)))
        #expect(Array(lines.prefix(2)) == ["network_health_online 0", "network_health_connected 0"])
        #expect(
            lines.filter { $0.hasSuffix(" 1") } == [
                #"network_health_path_status{status="disconnected"} 1"#,
                #"network_health_path_unsatisfied_reason{reason="link_down"} 1"#,
            ]
        )
    }

    @Test func `the path with its underlay, families and sources`() {
        let state = HealthState.online(over: .tunnel) { path in
            path.underlay = .wifi
            path.ipv4Interface = .tunnel
            path.ipv6Interface = .wifi
            path.supportsIPv4 = true
            path.dnsServers = ["192.0.2.1"]
            path.metered = .guessNo
            path.expensiveSource = .networkManagerGuess
            path.constrainedSource = .config
            path.viewpoint = .container
        }
        #expect(
            printed(PathMetrics.families(state)) == [
                #"network_health_interface_info{device="wg0",interface_type="other",underlay="wlan0",underlay_type="wifi",viewpoint="container"} 1"#,
                #"network_health_path_info{family="ipv4",device="wg0"} 1"#,
                #"network_health_path_info{family="ipv6",device="wlan0"} 1"#,
                #"network_health_networkmanager_metered{state="yes"} 0"#,
                #"network_health_networkmanager_metered{state="no"} 0"#,
                #"network_health_networkmanager_metered{state="guess_yes"} 0"#,
                #"network_health_networkmanager_metered{state="guess_no"} 1"#,
                #"network_health_networkmanager_metered{state="unknown"} 0"#,
                #"network_health_expensive_source_info{source="nm_guess"} 1"#,
                #"network_health_constrained_source_info{source="config"} 1"#,
                #"network_health_path_supports{capability="ipv4"} 1"#,
                #"network_health_path_supports{capability="ipv6"} 0"#,
                #"network_health_path_supports{capability="dns"} 1"#,
            ]
        )
    }

    @Test func `the seconds offline do not fall where the end of an outage was known elsewhere before`() {
        let start = SuspendingClock().now
        func at(_ second: Int) -> SuspendingClock.Instant { start.advanced(by: .seconds(second)) }
        var account = HealthStatistics(outages: OutageTracker(startedAt: start))
        let shown = Locked<[OutageCause: Duration]>([:])
        func seconds(at second: Int) -> String? {
            let name = #"network_health_offline_seconds_total{cause="no_internet"} "#
            let lines = printed(OutageMetrics.times(account, at: at(second), shown: shown))
            return lines.first { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count)) }
        }
        account.outages.began(.noInternet, since: at(10))
        #expect(seconds(at: 19) == "9")
        account.outages.finished(at: at(20), evidence: at(16))
        #expect(seconds(at: 20) == "9" && account.outages.offline(.noInternet, at: at(20)) == .seconds(6))
        account.outages.began(.noInternet, since: at(30))
        #expect(seconds(at: 32) == "9" && seconds(at: 36) == "12")
    }

    @Test func `outages grow while they last`() throws {
        let start = SuspendingClock().now
        var account = HealthStatistics(outages: OutageTracker(startedAt: start))
        account.outages.began(.link, since: start.advanced(by: .seconds(10)))
        var lines = printed(
            OutageMetrics.counts(account) + OutageMetrics.times(account, at: start.advanced(by: .seconds(12)))
        )
        #expect(lines.contains(#"network_health_outages_total{cause="link"} 1"#))
        #expect(lines.filter { $0.hasPrefix("network_health_outages_total") }.count == OutageCause.allCases.count)
        #expect(lines.contains(#"network_health_offline_seconds_total{cause="link"} 2"#))
        #expect(lines.contains(#"network_health_offline_seconds_total{cause="captive_portal"} 0"#))
        #expect(lines.contains("network_health_outage_duration_seconds_count 0"))
        #expect(lines.contains("network_health_monitored_seconds_total 12"))
        #expect(!lines.contains { $0.hasPrefix("network_health_last_transition") })
        account.outages.finished(at: start.advanced(by: .seconds(14)))
        account.lastTransition = Date(timeIntervalSince1970: 1_700_000_000)
        lines = printed(
            OutageMetrics.counts(account) + OutageMetrics.times(account, at: start.advanced(by: .seconds(20)))
        )
        #expect(lines.contains(#"network_health_offline_seconds_total{cause="link"} 4"#))
        #expect(lines.contains(#"network_health_outage_duration_seconds_bucket{le="1.0"} 0"#))
        #expect(lines.contains(#"network_health_outage_duration_seconds_bucket{le="5.0"} 1"#))
        #expect(lines.contains("network_health_last_transition_timestamp_seconds 1700000000"))
    }

    @Test func `the last outage has no end while it lasts`() throws {
        #expect(printed(OutageMetrics.last(nil)).isEmpty)
        let since = SuspendingClock().now
        let begun = Date(timeIntervalSince1970: 1_700_000_000)
        var ongoing = Outage(.gateway, since: since)
        ongoing.location = .router
        let start = "network_health_last_outage_start_timestamp_seconds 1700000000"
        let cause = #"network_health_last_outage_info{cause="gateway",location="router"} 1"#
        #expect(printed(OutageMetrics.last(DatedOutage(ongoing, at: since, date: begun))) == [start, cause])
        var over = ongoing
        over.length = .milliseconds(7500)
        let ended = DatedOutage(
            over,
            at: since.advanced(by: .milliseconds(7500)),
            date: begun.addingTimeInterval(7.5)
        )
        let end = "network_health_last_outage_end_timestamp_seconds 1700000007.5"
        #expect(printed(OutageMetrics.last(ended)) == [start, end, cause])
        // That of an earlier process, until there is one in this process.
        #expect(printed(OutageMetrics.families(nil, saved: ended)) == [start, end, cause])
        var statistics = HealthStatistics(outages: OutageTracker(startedAt: since))
        #expect(printed(OutageMetrics.families(statistics, saved: ended)).suffix(3) == [start, end, cause])
        statistics.lastOutage = DatedOutage(ongoing, at: since, date: begun)
        #expect(printed(OutageMetrics.families(statistics, saved: ended)).suffix(2) == [start, cause])
    }

    @Test func `the monitor's own counts, with a backend only where it is watched`() {
        var statistics = PathStatistics()
        statistics.changes[.gateway] = 2
        statistics.rawEvents[.route] = 7
        statistics.resyncs[.dumpInterrupted] = 3
        statistics.drift = 1
        statistics.isNetlinkUp = true
        statistics.settleDelay.observe(.milliseconds(50))
        var delay = DurationHistogram(bounds: PathStatistics.delayBounds)
        delay.observe(.microseconds(100))
        var facts = MonitorMetrics.Facts(statistics: statistics, deliverDelay: delay)
        var lines = printed(MonitorMetrics.families(facts))
        let expected = [
            #"network_health_path_changes_total{field="gateway"} 2"#,
            #"network_health_path_raw_events_total{kind="route"} 7"#,
            #"network_health_path_event_delay_seconds_bucket{stage="settle",le="0.05"} 1"#,
            #"network_health_path_event_delay_seconds_bucket{stage="settle",le="0.025"} 0"#,
            #"network_health_path_event_delay_seconds_count{stage="deliver"} 1"#,
            #"network_health_netlink_resyncs_total{reason="dump_intr"} 3"#, "network_health_netlink_drift_total 1",
            #"network_health_monitor_backend_up{backend="netlink"} 1"#,
        ]
        for line in expected { #expect(lines.contains(line), "\(line)") }
        #expect(!lines.contains { $0.contains("networkmanager") })
        facts.statistics.isNetworkManagerUp = false
        lines = printed(MonitorMetrics.families(facts))
        #expect(lines.contains(#"network_health_monitor_backend_up{backend="networkmanager"} 0"#))
    }

    @Test func `devices in the order of their names, without what the kernel does not know`() {
        var ethernet = DeviceCounters()
        ethernet.receivedBytes = .max
        ethernet.transmittedBytes = 2
        ethernet.carrierChanges = 3
        ethernet.linkSpeed = 1_000_000_000
        #expect(
            printed(DeviceMetrics.families(["wlan0": DeviceCounters(), "eth0": ethernet])) == [
                #"network_health_device_carrier_changes_total{device="eth0"} 3"#,
                #"network_health_device_receive_bytes_total{device="eth0"} 18446744073709551615"#,
                #"network_health_device_receive_bytes_total{device="wlan0"} 0"#,
                #"network_health_device_transmit_bytes_total{device="eth0"} 2"#,
                #"network_health_device_transmit_bytes_total{device="wlan0"} 0"#,
                #"network_health_device_link_speed_bytes_per_second{device="eth0"} 125000000"#,
            ]
        )
    }

    @Test func `what a port could carry, its errors, and the radio, where they are known`() {
        var (ethernet, wifi) = (DeviceCounters(), DeviceCounters())
        (ethernet.maxLinkSpeed, ethernet.receiveErrors) = (2_500_000_000, 7)
        var station = WirelessStation()
        (station.signal, station.receiveRate, station.transmitRate) = (-61, 1_200_900_000, 866_700_000)
        station.retries = 1250
        wifi.station = station
        let lines = printed(DeviceMetrics.families(["wlan0": wifi, "eth0": ethernet]))
        #expect(
            lines.filter { !$0.contains("_bytes_total") } == [
                #"network_health_device_link_speed_max_bytes_per_second{device="eth0"} 312500000"#,
                #"network_health_device_receive_errors_total{device="eth0"} 7"#,
                #"network_health_wifi_signal_dbm{device="wlan0"} -61"#,
                #"network_health_wifi_receive_bits_per_second{device="wlan0"} 1200900000"#,
                #"network_health_wifi_transmit_bits_per_second{device="wlan0"} 866700000"#,
                #"network_health_wifi_retries_total{device="wlan0"} 1250"#,
            ]
        )
    }
}
