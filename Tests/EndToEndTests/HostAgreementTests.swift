import Foundation
import Glibc
import Testing

extension EndToEndTimingTests {
    /// The library and the exporter on a host, and an exporter in a container that follows it.
    @Suite(.timeLimit(.minutes(3))) struct HostAgreement {
        private struct Snapshot: Decodable, Equatable {
            var online: Bool
            var connectionType: String
            var isExpensive: Bool
            var latency, jitterSeconds: Double
            var downloadSpeedMbps, uploadSpeedMbps: Double?

            func with(latency: Double) -> Snapshot {
                var snapshot = self
                snapshot.latency = latency
                return snapshot
            }
        }

        private static let host = """
            path: { viewpoint: host }
            internet: { enabled: false }
            gateway: { enabled: false }
            targets:
              - { name: far, module: icmp, address: \(RelayedLink.far), interval: 100ms, counts_for_latency: true, on_expensive: run }
            speedtest:
              servers: [{ name: far, protocol: speedlab, url: "http://\(RelayedLink.far):10319/speedtest" }]
              schedule: { interval: 1h }
              initial_delay: 1h
              min_gap: 0s
              duration: { min: 2s, max: 15s }
              on_expensive: run

            """
        private static let sidecar = """
            requirements:
              fast: { max_latency: 15ms, hold: 0s }
              slow: { max_latency: 1s, hold: 0s }

            """
        /// What a container has of the speed tests of its host.
        private static let adopted = [
            "download_bytes_per_second", "upload_bytes_per_second", "idle_latency_seconds", "jitter_seconds",
            "last_run_timestamp_seconds", "last_success_timestamp_seconds", "success", "duration_seconds",
        ].map { "network_health_speedtest_\($0){server=\"far\",uplink=\"rmnet0\"}" }

        private func snapshot(_ exporter: ExporterProcess) async throws -> Snapshot? {
            let body = try await exporter.request("/api/v1/snapshot").body
            return try? JSONDecoder().decode(Snapshot.self, from: Data(body.utf8))
        }

        /// The lines that the library's example prints.
        private func library(in namespace: Namespace, _ url: String) async throws -> [String: String] {
            let found = try await run(namespace.prefix + [Repository.examples, "describe", url], within: .seconds(60))
            #expect(found.status == 0, "\(found.errors)")
            let lines = found.output.split(separator: "\n").map { $0.split(separator: ": ", maxSplits: 1) }
            return Dictionary(lines.map { (String($0[0]), String($0[1])) }) { first, _ in first }
        }

        @Test func `they agree on connectivity, type, cost, latency and throughput`() async throws {
            try await withSpeedLab(delay: .milliseconds(10), up: 20_000_000, down: 40_000_000) { lab in
                let (router, server) = (lab.link.host, lab.link.peer)
                try await router.set("net.ipv4.ip_forward", to: "1")
                try await server.ip("route add 198.18.255.0/24 dev lab0")
                try await withHost(behind: router, pods: 1) { try await compare($0) }
            }
        }

        private func compare(_ network: HostNetwork) async throws {
            let (host, pod) = (network.host, network.pods[0])
            let flags = ["--web.listen-address=:10319", "--web.enable-admin-api"]
            try await withExporter(flags, configuration: Self.host, in: host) { seen in
                _ = try await poll("the latency of the host") { try await snapshot(seen) }
                let variable = network.environment(ofPod: 0)
                try await withExporter(configuration: Self.sidecar, in: pod, environment: variable) { sidecar in
                    let found = try await compare(seen, sidecar)
                    try await compare(found, with: library(in: host, "http://\(RelayedLink.far):10319/speedtest"))
                }
            }
            // In the container nothing is measured: no server is there.
            let inside = try await library(in: pod, "http://127.0.0.1:1/speedtest")
            #expect(inside["type"] == "unknown" && inside["cost"] == "unknown", "\(inside)")
            #expect(inside["large transfers"] == "not allowed", "\(inside)")
        }

        private func compare(_ host: ExporterProcess, _ sidecar: ExporterProcess) async throws -> Snapshot {
            // Before a test fills the line: it delays 20 ms.
            let idle = try await poll("the host's latency") { try await snapshot(sidecar) }
            #expect(try await abs(idle.latency - #require(snapshot(host)).latency) < 0.005 && idle.latency >= 0.02)
            let test = try await host.makeSpeedTest()
            #expect(test.error == nil && test.download != nil && test.upload != nil, "\(test)")
            let expected = try await host.request("/api/v1/speedtest").body
            try await poll("the host's speed test") {
                try await sidecar.request("/api/v1/speedtest").body == expected ? true : nil
            }
            #expect(try await sidecar.request("/health?requirement=fast").body == "latency_above\n")
            #expect(try await sidecar.request("/health?requirement=slow").status == 200)
            let (there, here) = try await (host.request("/metrics").samples, sidecar.request("/metrics").samples)
            for sample in Self.adopted { #expect(here[sample] != nil && here[sample] == there[sample], "\(sample)") }
            #expect(here.keys.allSatisfy { !$0.hasPrefix("network_health_speedtest_runs_total") })
            #expect(here["network_health_latency_seconds"] != nil && here["network_health_jitter_seconds"] != nil)
            let (measured, adopted) = try await (#require(snapshot(host)), #require(snapshot(sidecar)))
            #expect(adopted.online && measured.online, "\(adopted) \(measured)")
            #expect(adopted.connectionType == "cellular" && measured.connectionType == "cellular")
            #expect(adopted.isExpensive && measured.isExpensive)
            #expect(adopted.downloadSpeedMbps == measured.downloadSpeedMbps)
            #expect(adopted.uploadSpeedMbps == measured.uploadSpeedMbps)
            #expect(!sidecar.log.contains("--host.url") && !sidecar.log.contains("--path.expensive"), "\(sidecar.log)")
            return adopted.with(latency: idle.latency)
        }

        private func compare(_ adopted: Snapshot, with library: [String: String]) throws {
            #expect(library["connected"] == "true, over rmnet0" && library["type"] == "cellular", "\(library)")
            #expect(library["cost"] == "expensive" && library["large transfers"] == "not allowed", "\(library)")
            let speeds = try #require(library["down"]?.wholeMatch(of: /([0-9.]+) Mbit\/s, up: ([0-9.]+) Mbit\/s/))
            for (found, adopted) in [
                (speeds.1, adopted.downloadSpeedMbps), (speeds.2, adopted.uploadSpeedMbps),
            ] {
                let ratio = try #require(Double(found)) / #require(adopted)
                #expect(abs(ratio - 1) < 0.05, "\(library) \(adopted ?? 0)")
            }
            let latency = try #require(library["latency"].flatMap { Double($0.prefix { $0 != " " }) })
            #expect(abs(latency / 1000 - adopted.latency) < 0.005, "\(library) \(adopted)")
        }
    }
}
