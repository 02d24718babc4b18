import Foundation
import Testing

extension EndToEndTimingTests {
    /// A host with two uplinks to the same speed-test server, whose default route moves between them.
    @Suite(.timeLimit(.minutes(3))) struct Uplinks {
        /// On the far host's loopback, so that both uplinks lead to it.
        private static let server = "198.18.9.9"

        private static let configuration = """
            internet: { enabled: false }
            path: { viewpoint: host }
            health: { unmeasured: fail }
            requirements:
              fast: { min_download: 40Mbps }
            speedtest:
              servers: [{ name: far, protocol: speedlab, url: "http://\(server):10319/speedtest" }]
              directions: [download]
              schedule: { interval: 1h }
              initial_delay: 1h
              min_gap: 1s

            """

        @Test func `each uplink keeps its own last value and time, and gates follow the default route at once`()
            async throws
        {
            try await withRelayedLink(.init(delay: .milliseconds(2), rate: (100_000_000, 100_000_000))) { link in
                let (host, peer) = (link.host, link.peer)
                try await peer.ip("address add \(Self.server)/32 dev lo")
                let slow = RelayedLink.Behaviour(delay: .milliseconds(2), rate: (5_000_000, 5_000_000))
                let second = try await RelayedLink(host, peer, slow, number: 1)
                let flags = ["--web.listen-address=\(Self.server):10319"]
                try await withExporter(flags, configuration: SpeedLab.serverConfiguration, in: peer) { _ in
                    let flags = ["--web.enable-admin-api"]
                    try await withExporter(flags, configuration: Self.configuration, in: host) { exporter in
                        try await exporter.waitUntilReady()
                        try await follow(exporter, on: host)
                    }
                }
                _ = try await second.end()
            }
        }

        private func follow(_ exporter: ExporterProcess, on host: Namespace) async throws {
            #expect(try await exporter.makeSpeedTest().error == nil)
            let fast = try await values(exporter)["lab0"]
            #expect(try #require(fast).rate > 5e6)
            try await expectHealth(exporter, 200)

            try await host.ip("route replace default via \(RelayedLink.far(1))")
            // Not measured yet: what lab0 carries says nothing about lab1.
            try await expectHealth(exporter, 503)
            #expect(try await values(exporter) == ["lab0": fast])
            #expect(try await exporter.makeSpeedTest().error == nil)
            let both = try await values(exporter)
            let slow = try #require(both["lab1"])
            #expect(both["lab0"] == fast && slow.rate < 6.25e5 && slow.at > (fast?.at ?? 0))
            try await expectHealth(exporter, 503)

            try await host.ip("route replace default via \(RelayedLink.far(0))")
            try await expectHealth(exporter, 200)
            try await host.ip("route replace default via \(RelayedLink.far(1))")
            try await expectHealth(exporter, 503)
            #expect(try await values(exporter) == both)
        }

        /// Without a test: the answer follows the path, which settles within a second.
        private func expectHealth(_ exporter: ExporterProcess, _ status: Int) async throws {
            let delay = try await lateness(of: "the answer \(status)", since: .now) {
                try await exporter.request("/health?requirement=fast").status == status
            }
            #expect(delay <= .seconds(3), "\(delay)")
        }

        /// The last download of each uplink in bytes per second, and the end of its test.
        private func values(_ exporter: ExporterProcess) async throws -> [String: Value] {
            let samples = try await exporter.request("/metrics").samples
            func sample(_ name: String, _ uplink: String) -> Double? {
                samples[#"network_health_speedtest_\#(name){server="far",uplink="\#(uplink)"}"#].flatMap(Double.init)
            }
            var values: [String: Value] = [:]
            for uplink in ["lab0", "lab1", "local", "none"] {
                guard let rate = sample("download_bytes_per_second", uplink) else { continue }
                let at = try #require(sample("last_success_timestamp_seconds", uplink))
                values[uplink] = Value(rate: rate, at: at)
            }
            return values
        }

        private struct Value: Equatable { var rate, at: Double }
    }
}
