import Coordination
import Foundation
import Lab
import MicroHTTP
import NetworkPath
import Posix
import PrometheusExposition
import SpeedTestCore
import Testing

@testable import NetworkHealth
@testable import NetworkHealthExporter
@testable import NetworkPath
@testable import Probing

/// What a collector reads changes: the next scrape has it, although parts without a change are sent again as they are.
@Suite(.timeLimit(.minutes(3)))
struct CollectorsTests {
    typealias Step = @Sendable (CollectorFixture) async throws -> Void

    struct Change: Sendable, CustomTestStringConvertible {
        var collector: String
        var what: String
        /// How a line begins that the change brings.
        var line: String
        var before: Step = { _ in }
        var step: Step

        var testDescription: String { "\(collector): \(what)" }

        init(
            _ collector: String,
            _ what: String,
            _ line: String,
            before: @escaping Step = { _ in },
            _ step: @escaping Step
        ) {
            (self.collector, self.what, self.line) = (collector, what, line)
            (self.before, self.step) = (before, step)
        }
    }

    // Where a change begins.
    private static let connected: Step = { $0.receive() }
    static let online: Step = { $0.goOnline() }
    private static let offline: Step = { fixture in
        fixture.goOnline()
        fixture.loseRoute()
    }
    /// There is a fault.
    private static let troubled: Step = { fixture in
        fixture.loseRoute()
        fixture.faults.decide()
    }
    private static func faultSeconds(_ value: String) -> String {
        #"network_health_fault_seconds_total{location="host",kind="outage"} \#(value)"#
    }
    /// The target is up.
    private static let reached: Step = { fixture in
        fixture.goOnline()
        fixture.probe(1)
    }
    /// On this uplink the last test was good, on another one of the same device it failed.
    static let testedTwice: Step = { fixture in
        let now = Date.now.timeIntervalSince1970
        fixture.goOnline()
        fixture.test(.failed(at: now, uplink: "eth0 198.18.0.1"))
        fixture.test(.good(at: now))
    }
    /// A request is in the queue.
    private static let waiting: Step = { try await $0.enqueue() }

    /// One for each source of each collector; `build` is constant.
    private static let changes: [Change] = state + measurements + others

    /// What follows from the path, the internet and the evidence about them.
    private static let state = [
        Change("path", "another device", #"network_health_interface_info{device="wlan0""#, before: online) {
            $0.receive("wlan0")
        },
        Change("path", "a verdict", "network_health_online 1", before: connected) {
            $0.receive(internet: .online)
        },
        Change("path", "a failure", #"network_health_exporter_collector_success{collector="path"} 0"#) {
            $0.path.report(failure: "socket: Permission denied")
        },
        Change("path", "no state any more", "", before: online) { $0.health.forget() },
        Change(
            "internet",
            "a verdict",
            #"network_health_internet_state{state="no_internet"} 1"#,
            before: online
        ) {
            $0.receive(internet: .noInternet)
        },
        Change(
            "quality",
            "a route that is lost",
            #"network_health_quality{quality="offline"} 1"#,
            before: online
        ) {
            $0.loseRoute()
        },
        Change("quality", "a measurement", "network_health_quality_measured 1", before: online) {
            $0.measure()
        },
        Change("requirements", "the state", satisfied("online", 1)) { $0.goOnline() },
        Change("requirements", "a target that is up", satisfied("call", 1), before: online) { $0.probe(1) },
        Change(
            "requirements",
            "the latency",
            satisfied("call", 0),
            before: reached
        ) {
            $0.requirements.evaluator.refresh(latency: NetworkLatency(latency: .seconds(1)))
        },
        Change("requirements", "a configuration", satisfied("unmetered", 0), before: online) { fixture in
            var configuration = Configuration()
            var unmetered = Requirement(name: "unmetered")
            unmetered.targets = ["unknown"]
            configuration.requirements.own = [unmetered]
            fixture.requirements.apply(configuration)
        },
        Change(
            "requirements",
            "a limit",
            #"network_health_requirement_min_bytes_per_second{requirement="sync",direction="upload"} 500000"#,
            before: online
        ) { fixture in
            var configuration = Configuration()
            var sync = Requirement(name: "sync")
            sync.minUpload = 4e6
            configuration.requirements.own = [sync]
            fixture.requirements.apply(configuration)
        },
        Change("outages", "an outage", "network_health_last_outage_info{", before: online) {
            $0.loseRoute()
        },
        Change(
            "outages",
            "its end",
            "network_health_last_outage_end_timestamp_seconds ",
            before: offline
        ) {
            $0.goOnline(2)
        },
        Change("uptime", "an outage", "network_health_offline_seconds_total{", before: online) { fixture in
            fixture.loseRoute()
            fixture.pass(.seconds(3600))
        },
        Change("uptime", "the time", "network_health_monitored_seconds_total ", before: online) {
            $0.pass(.seconds(3600))
        },
        Change("monitor", "a re-read", #"network_health_netlink_resyncs_total{reason="periodic"} 1"#) {
            $0.path.count(.periodic)
        },
        Change("monitor", "a delivery", #"network_health_path_event_delay_seconds_count{stage="deliver"} 1"#) {
            $0.receive()
        },
        Change("monitor", "the host's exporter", #"network_health_monitor_backend_up{backend="host"} 1"#) { fixture in
            try #require(fixture.follower).take(SnapshotDocument(.online()).json)
        },
        Change("faults", "an outage", #"network_health_fault{location="host",kind="outage"} 1"#, before: offline) {
            $0.faults.decide()
        },
        Change("fault_seconds", "its time", faultSeconds("6"), before: troubled) { $0.pass(.seconds(6)) },
        Change("hops", "an answer", #"network_health_hop_info{hop="1",family="ipv4","#, before: online) { fixture in
            fixture.faults.hops.table.withLock { $0.answer(by: "192.0.2.1") }
        },
        Change("resolvers", "an answer", #"network_health_resolver_up{resolver="192.0.2.53"} 1"#, before: online) {
            fixture in
            fixture.faults.resolvers.table.withLock { table in
                let path = InternetPath(generation: 1, isSatisfied: true, families: [.ipv4])
                table.change(path, servers: ["192.0.2.53"], at: .zero)
                for turn in table.start(at: .zero) {
                    table.finish(turn, .answered(after: .milliseconds(1), isError: false), at: .now)
                }
            }
        },
        Change("devices", "traffic", #"network_health_device_receive_bytes_total{device="eth0"} 5"#) { fixture in
            var counters = DeviceCounters()
            counters.receivedBytes = 5
            fixture.path.devices.withLock { [counters] in $0.counters["eth0"] = counters }
        },
    ]

    private static func satisfied(_ requirement: String, _ value: Int) -> String {
        #"network_health_requirement_satisfied{requirement="\#(requirement)"} \#(value)"#
    }

    /// What clients do, and what the machine does.
    private static let others = [
        Change("config", "a broken file", "network_health_exporter_config_last_reload_successful 0") { fixture in
            try fixture.folder.write("exporter.yml", "path: 1\n")
            try? fixture.store.reload()
        },
        Change("queue", "a request", "network_health_queue_pending_requests 1") { try await $0.enqueue() },
        Change("queue", "a refusal", #"network_health_queue_rejected_total{reason="disabled"} 1"#) {
            $0.queue.apply(Configuration())
            _ = $0.queue.routes.first { $0.method == .post }?.refusal?(Request(method: .post, path: RequestsView.path))
        },
        Change(
            "queue",
            "the time",
            "network_health_queue_oldest_request_age_seconds ",
            before: waiting
        ) {
            $0.pass(.milliseconds(10))
        },
        Change("speedtest_server", "a refusal", #"network_health_embedded_server_rejected_total{reason="address"} 1"#) {
            try? $0.server.server.check(peer: "8.8.8.8", foreignOrigin: nil)
        },
        Change("connections", "a new one", "network_health_exporter_http_connections 1") {
            $0.requests.count(.opened)
        },
        Change("connections", "a refusal", #"network_health_exporter_http_rejected_total{reason="total"} 1"#) {
            $0.requests.count(.refused(.total))
        },
        Change("http", "an answer", #"network_health_exporter_http_requests_total{handler="metrics",code="200"} 1"#) {
            $0.requests.count(handler: "metrics", code: 200)
        },
        Change("storage", "a folder that is gone", "network_health_storage_up 0") { fixture in
            try FileManager.default.removeItem(atPath: fixture.databaseFolder)
            try? await SpeedTestHistory(database: fixture.database).add(.good())
        },
        Change("process", "its memory, a second later", "process_resident_memory_bytes \(2 * getpagesize())") {
            fixture in
            try fixture.folder.write("proc/self/stat", CollectorFixture.stat(resident: 2))
            fixture.pass(.seconds(1))
        },
    ]

    @Test func `every collector has a change`() throws {
        let names = try CollectorFixture().collectors.map(\.name)
        #expect(Set(Self.changes.map(\.collector)).union(["build"]) == Set(names))
    }

    @Test(arguments: changes)
    func `a change is in the next scrape`(change: Change) async throws {
        let fixture = try await CollectorFixture.opened()
        try await change.before(fixture)
        let scrape = Scrape(collectors: fixture.collectors)
        for format in ExpositionFormat.allCases {
            // What is found first is kept.
            #expect(ageless(scrape, format) == ageless(scrape, format))
        }
        let before = lines(scrape)
        try await change.step(fixture)
        let after = lines(scrape)
        #expect(after.contains { $0.hasPrefix(change.line) && !before.contains($0) } || change.line.isEmpty)
        #expect(after != before)
        // Whatever else follows from it: nothing is older than in a scrape that keeps nothing.
        for format in ExpositionFormat.allCases {
            #expect(ageless(scrape, format) == ageless(Scrape(collectors: fixture.collectors), format))
        }
    }

    /// The age of a request has a clock of its own, which does not stand still.
    private func ageless(_ scrape: Scrape, _ format: ExpositionFormat) -> [String] {
        lines(scrape, format).filter { !$0.contains("_age_") }
    }

    /// Those of all samples, without the durations of the scrape.
    private func lines(_ scrape: Scrape, _ format: ExpositionFormat = .text) -> [String] {
        String(decoding: scrape.exposition(as: format).flatMap(\.bytes), as: UTF8.self).split(separator: "\n")
            .map(String.init).filter { line in
                !line.hasPrefix("#") && !line.contains("_collector_duration_")
            }
    }
}
