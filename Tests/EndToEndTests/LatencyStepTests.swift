import Statistics
import Testing

extension EndToEndTimingTests {
    /// The latency of a network without targets, while the link's delay steps from 20 to 120 ms.
    @Suite(.timeLimit(.minutes(2))) struct LatencyStep {
        private static let latency = "network_health_latency_seconds"

        /// Rounds as those of the defaults, 30 times as often.
        private static let configuration = """
            path: { viewpoint: host }
            internet:
              interval: 1s
              timeout: 1s
              probes: [{ name: far, url: "http://\(RelayedLink.far):10319/-/healthy", expect: { status: 200 } }]
              https: []
              literals: []

            """

        /// The latency after `count` rounds, as soon as it is what the condition says, and after how many it was not yet.
        private func latency(
            of exporter: ExporterProcess,
            after count: Int,
            where isRight: @Sendable (Double) -> Bool
        ) async throws -> (latency: Double, rounds: Int, before: Int) {
            var before = 0
            return try await poll("the latency after \(count) rounds", within: .seconds(50)) {
                let samples = try await exporter.request("/metrics").samples
                let rounds = samples[#"network_health_internet_probes_total{probe="far",family="ipv4"}"#].flatMap(
                    Int.init
                )
                let counted = rounds ?? 0
                guard let rounds, rounds >= count, let latency = samples[Self.latency].flatMap(Double.init),
                    isRight(latency)
                else {
                    before = counted
                    return nil
                }
                return (latency, rounds, before)
            }
        }

        @Test func `a step shows when most connections of the window are new, and is the link's within a fifth`()
            async throws
        {
            let behaviour = RelayedLink.Behaviour(delay: .milliseconds(10), then: .milliseconds(60))
            try await withRelayedLink(behaviour) { link in
                let flag = "--web.listen-address=\(RelayedLink.far):10319"
                let (before, after) = try await withExporter([flag], in: link.peer) { _ in
                    try await withExporter(configuration: Self.configuration, in: link.host) { exporter in
                        let before = try await latency(of: exporter, after: 10) { $0 > 0 }
                        #expect(
                            try await exporter.sample("network_health_loss_ratio") == nil,
                            "no target sends packets"
                        )
                        link.step()
                        let step = try await latency(of: exporter, after: before.rounds) { $0 > 0 }
                        // Above the mean of both, which is the median of as many old ones as new ones.
                        let after = try await latency(of: exporter, after: before.rounds) { $0 > 4 * before.latency }
                        // One at least may be under way at the step. A scrape that comes late says nothing.
                        #expect(after.before <= 2 * step.rounds + 3, "\(step.rounds), \(after)")
                        return (before, after)
                    }
                }
                let trips = try await link.end().handshakes.map { $0 / .seconds(1) }
                let low = try #require(trips.prefix(before.rounds).median)
                let high = try #require(trips.suffix(5).median)
                #expect(abs(before.latency - low) <= 0.2 * low, "\(before.latency), \(low)")
                #expect(abs(after.latency - high) <= 0.2 * high, "\(after.latency), \(high)")
            }
        }
    }
}
