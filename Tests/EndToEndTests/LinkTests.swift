import Testing

/// Targets that an exporter probes over a link until they were probed often enough.
private enum LinkProbes {
    /// So many targets that their packets are enough in a few seconds.
    static let crowd = 20
    static let probes = "network_health_target_probes_total"

    private static func configuration(targets: Int, isConstrained: Bool = false) -> String {
        let rows = (0..<targets).map {
            "  - { name: t\($0), module: icmp, address: \(RelayedLink.far), interval: 100ms, timeout: 1s }"
        }
        return """
            internet: { enabled: false }
            gateway: { enabled: false }
            path: { viewpoint: host, constrained: \(isConstrained) }
            targets:
            \(rows.joined(separator: "\n"))

            """
    }

    /// Probes until each target was probed `count` times, then lets what is under way end.
    static func measure(
        _ link: RelayedLink,
        targets: Int,
        count: Int
    ) async throws -> (scrape: [String: String], log: RelayedLink.Log) {
        let folder = try TemporaryFolder()
        let file = try folder.write("config.yml", configuration(targets: targets))
        let flags = ["--config.file=\(file)", "--web.enable-lifecycle"]
        let scrape = try await withExporter(flags, in: link.host) { exporter in
            try await poll("\(count) probes of each target", within: .seconds(60)) {
                let scrape = try await exporter.request("/metrics").samples
                let counts = (0..<targets).map {
                    scrape["\(probes){target=\"t\($0)\"}"].flatMap { Int($0) } ?? 0
                }
                return (counts.min() ?? 0) >= count ? true : nil
            }
            // On a constrained path targets rest, and keep their counters.
            try folder.write("config.yml", configuration(targets: targets, isConstrained: true))
            #expect(try await exporter.request("/-/reload", method: "POST").status == 200)
            var last = try await exporter.request("/metrics").samples.total("\(probes){")
            return try await poll("the end of the last probe") {
                try await Task.sleep(for: .milliseconds(1200))  // longer than the time-out
                let scrape = try await exporter.request("/metrics").samples
                let sum = scrape.total("\(probes){")
                defer { last = sum }
                return sum == last ? scrape : nil
            }
        }
        return (scrape, try await link.end())
    }
}

extension EndToEndTimingTests {
    /// Round trips beside the log of a link that delays.
    @Suite(.timeLimit(.minutes(2))) struct Link {
        @Test(arguments: [5, 20, 100])
        func `the round trip is the link's within a millisecond`(milliseconds: Int) async throws {
            let behaviour = RelayedLink.Behaviour(delay: .microseconds(milliseconds * 500))
            try await withRelayedLink(behaviour) { link in
                let (scrape, log) = try await LinkProbes.measure(link, targets: LinkProbes.crowd, count: 5)
                let sum = scrape.sum("network_health_target_rtt_seconds_sum{")
                let count = scrape.total("network_health_target_rtt_seconds_count{")
                let trips = log.roundTrips
                #expect(count == trips.count)
                let truth = trips.reduce(.zero, +) / trips.count
                #expect(abs(sum / Double(count) - truth / .seconds(1)) < 0.001, "\(sum / Double(count)) \(truth)")
                let info = #"network_health_target_info{target="t0",module="icmp",device="",family="ipv4""#
                #expect(scrape.keys.contains { $0.hasPrefix(info) && $0.contains("icmp_datagram") })
            }
        }

        @Test func `a starved exporter reports the same round trip`() async throws {
            try await withRelayedLink(RelayedLink.Behaviour(delay: .milliseconds(10))) { link in
                let hogs = try (0..<8).map { _ in try Program(["sh", "-c", "while :; do :; done"]) }
                defer { withExtendedLifetime(hogs) {} }
                let (scrape, log) = try await LinkProbes.measure(link, targets: 1, count: 60)
                let trips = log.roundTrips.suffix(100).sorted()
                let truth = trips[trips.count / 2] / .seconds(1)
                let reported = try #require(
                    scrape[#"network_health_target_latency_seconds{target="t0"}"#].flatMap(Double.init)
                )
                #expect(abs(reported - truth) < 0.0003, "reported \(reported), true \(truth)")
            }
        }
    }

    /// Loss and jitter beside the log of a link that drops and spreads: what a busy machine adds is small beside them.
    @Suite(.timeLimit(.minutes(2))) struct LinkStatistics {
        @Test(arguments: [0, 0.01, 0.05])
        func `what is lost is what was dropped`(loss: Double) async throws {
            try await withRelayedLink(RelayedLink.Behaviour(delay: .milliseconds(2), loss: loss)) { link in
                let (scrape, log) = try await LinkProbes.measure(link, targets: LinkProbes.crowd, count: 55)
                let lost = scrape.total("network_health_target_probe_failures_total{", with: #"reason="timeout""#)
                #expect(log.there.count >= 1000)
                #expect(abs(lost - log.dropped) <= 2, "lost \(lost), dropped \(log.dropped)")
                #expect(scrape.total("\(LinkProbes.probes){") == log.there.count)
            }
        }

        @Test func `jitter is the mean change between round trips`() async throws {
            let behaviour = RelayedLink.Behaviour(delay: .milliseconds(20), jitter: .milliseconds(5))
            try await withRelayedLink(behaviour) { link in
                let (scrape, log) = try await LinkProbes.measure(link, targets: 1, count: 101)
                let trips = log.roundTrips.suffix(100).map { $0 / .seconds(1) }
                let truth = zip(trips, trips.dropFirst()).map { abs($0 - $1) }.reduce(0, +) / Double(trips.count - 1)
                let jitter = try #require(
                    scrape[#"network_health_target_jitter_seconds{target="t0"}"#].flatMap(Double.init)
                )
                #expect(abs(jitter - truth) <= 0.2 * truth, "reported \(jitter), true \(truth)")
            }
        }
    }
}

extension [String: String] {
    /// The sum of the series that begin with `prefix`, and hold `part`.
    fileprivate func sum(_ prefix: String, with part: String = "") -> Double {
        filter { $0.key.hasPrefix(prefix) && (part.isEmpty || $0.key.contains(part)) }.values
            .compactMap(Double.init).reduce(0, +)
    }

    fileprivate func total(_ prefix: String, with part: String = "") -> Int { Int(sum(prefix, with: part)) }
}
