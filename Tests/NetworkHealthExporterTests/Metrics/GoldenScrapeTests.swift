import Coordination
import Foundation
import Lab
import MicroHTTP
import Netlink
import NetworkPath
import Posix
import PrometheusExposition
import Testing

@testable import NetworkHealth
@testable import NetworkHealthExporter
@testable import NetworkPath
@testable import Probing

/// The golden scrape of what the exporter of `EndToEndTests` does not print: families that need an outage, a fault, a radio, a
/// second uplink, a plan or a request that waits.
@Suite(.timeLimit(.minutes(3))) struct GoldenScrapeTests {
    /// Of clocks that do not stand still here; `MetricsTests` and `QueueMetricsTests` know their values.
    private static let volatile = [
        "network_health_last_outage_start_timestamp_seconds", "network_health_last_outage_end_timestamp_seconds",
        "network_health_last_transition_timestamp_seconds", "network_health_queue_oldest_request_age_seconds",
    ]

    @Test func `what is printed only after something has happened is the golden file`() async throws {
        let fixture = try await CollectorFixture.opened()
        Self.loseAndRestore(fixture)
        try Self.measure(fixture)
        try await fixture.enqueue()
        let elsewhere = Set(try GoldenFile("metrics.txt").families + GoldenFile("series.txt").families)
        let body = Scrape(collectors: fixture.collectors).exposition(as: .text).flatMap(\.bytes)
        var isElsewhere = false
        var lines: [String] = []
        for line in String(decoding: body, as: UTF8.self).split(separator: "\n").map(String.init) {
            if line.hasPrefix("# HELP ") { isElsewhere = elsewhere.contains(String(line.split(separator: " ")[2])) }
            if isElsewhere { continue }
            let isVolatile = Self.volatile.contains(String(line.prefix { $0 != " " }))
            lines.append(isVolatile ? line.prefix { $0 != " " } + " MASKED" : line)
        }
        let difference = try GoldenFile("later.txt").difference(from: lines.joined(separator: "\n") + "\n")
        #expect(difference == [])
    }

    /// A minute online with two uplinks, half a minute without a route, then online again, where full packets vanish.
    private static func loseAndRestore(_ fixture: CollectorFixture) {
        fixture.goOnline()
        fixture.uplinks.decide([.blocked(0), .blocked(1)], fixture.health.current)
        fixture.pass(.seconds(60))
        fixture.loseRoute()
        fixture.faults.decide()
        fixture.uplinks.decide(nil, fixture.health.current)
        fixture.pass(.seconds(2))
        fixture.uplinks.decide()
        fixture.pass(.seconds(28))
        fixture.uplinks.decide()
        fixture.goOnline(2)
        fixture.uplinks.decide(nil, fixture.health.current)
        let degraded = InternetVerdict(
            state: .degraded,
            degradedReasons: [.mtu],
            evidenceAt: .now,
            pathMTU: [.ipv4: 1400, .ipv6: 1280],
            generation: 2
        )
        fixture.health.receive(degraded)
    }

    private static func measure(_ fixture: CollectorFixture) throws {
        // Of the uplink in use, once there are enough packets.
        fixture.probe(60)
        try #require(fixture.internet.monitor).state.withLock { $0.statistics.note(.milliseconds(90_500), over: .ipv4) }
        let servers = ["192.0.2.53", "192.0.2.54"]
        fixture.faults.resolvers.table.withLock { table in
            table.change(
                InternetPath(generation: 1, isSatisfied: true, families: [.ipv4]),
                servers: servers,
                at: .zero
            )
            for turn in table.start(at: .zero) {
                table.finish(turn, .answered(after: .milliseconds(12), isError: false), at: .now)
            }
        }
        var (ethernet, wifi) = (DeviceCounters(), DeviceCounters())
        ethernet.maxLinkSpeed = 2_500_000_000
        var station = WirelessStation()
        (station.signal, station.receiveRate, station.transmitRate) = (-61, 1_200_900_000, 866_700_000)
        station.retries = 1250
        wifi.station = station
        fixture.path.devices.withLock { [ethernet, wifi] in $0.counters = ["eth0": ethernet, "wlan0": wifi] }
        fixture.test(.queued)
        fixture.speedTests.board.update { $0.count(.confirmed) }
    }
}
