import Foundation
import Testing

extension EndToEndTimingTests {
    /// A speed below the plan, over two links behind a router; `scripts/bench plan` has the places of a queue and other traffic, too.
    @Suite(.timeLimit(.minutes(3))) struct BelowPlan {
        private struct Report: Decodable {
            struct Shortfall: Decodable {
                var server, confirmation, location: String
                var measuredMbps: Double
                var secondServer: String?
            }
            struct Tests: Decodable { var belowPlan: [Shortfall] }
            var speedTests: Tests
        }

        private static let plan = 20_000_000
        private static var configuration: String {
            let servers = ["first", "second"].enumerated().map { index, name in
                "    - { name: \(name), protocol: speedlab, url: \"http://\(RelayedLink.far(index)):10319/speedtest\" }\n"
            }
            return """
                internet: { enabled: false }
                gateway: { enabled: false }
                path: { viewpoint: host }
                plan: { download: { normal: \(plan / 1_000_000)Mbps } }
                speedtest:
                  directions: [download]
                  schedule: { interval: 1h }
                  budget: { per_run: 500MB, per_day: 4GB, per_month: 20GB }
                  servers:

                """ + servers.joined()
        }

        /// A host behind a router, from which a link leads to each of two servers: the first one has half the plan's rate.
        private func withHost(second rate: Int, _ body: (Namespace) async throws -> Void) async throws {
            try await withCable { host, router in
                try await router.ip("address add 198.18.0.1/24 dev eth0")
                try await router.set("net.ipv4.ip_forward", to: "1")
                try await withNamespace { first in
                    try await withNamespace { second in
                        var links: [RelayedLink] = []
                        for (number, (peer, rate)) in [(first, Self.plan / 2), (second, rate)].enumerated() {
                            let behaviour = RelayedLink.Behaviour(delay: .milliseconds(5), rate: (rate, rate))
                            links.append(try await RelayedLink(router, peer, behaviour, number: number))
                            try await peer.ip("route add 198.18.0.0/24 dev lab\(number)")
                        }
                        func serve(_ number: Int, _ body: () async throws -> Void) async throws {
                            let flags = ["--web.listen-address=\(RelayedLink.far(number)):10319"]
                            let configuration = SpeedLab.serverConfiguration
                            try await withExporter(flags, configuration: configuration, in: links[number].peer) { _ in
                                try await body()
                            }
                        }
                        try await serve(0) { try await serve(1) { try await body(host) } }
                        for link in links { _ = try await link.end() }
                    }
                }
            }
        }

        @Test(arguments: [(1, "confirmed"), (4, "refuted")])
        func `half the speed by both servers is confirmed and an event, by one alone it is refuted and its destination`(
            _ share: Int,
            _ result: String
        ) async throws {
            try await withHost(second: Self.plan / 2 * share) { host in
                let flags = ["--web.enable-admin-api"]
                try await withExporter(flags, configuration: Self.configuration, in: host) { exporter in
                    try await exporter.waitUntilReady()
                    let url = "http://127.0.0.1:\(exporter.port)/api/v1/stream"
                    let stream = try Program(host.prefix + ["curl", "-sN", url])
                    defer { stream.end() }
                    func isLimited(_ test: SpeedTestJSON?) -> Bool {
                        test?.download.map { $0.limitedBy.contains("cpu") || $0.exceedsDevice } == true
                    }
                    // On a machine that is too busy nothing is concluded about the line.
                    let first = try await exporter.makeSpeedTest()
                    guard !isLimited(first) else { return }
                    let outcome = try await poll("the second test", within: .seconds(60)) {
                        let samples = try await exporter.request("/metrics").samples
                        return ["confirmed", "refuted", "failed"].first {
                            samples["network_health_speedtest_confirmations_total{result=\"\($0)\"}"] == "1"
                        }
                    }
                    guard outcome != "failed" else {
                        let second = try await exporter.lastSpeedTest()
                        #expect(isLimited(second))
                        return
                    }
                    #expect(outcome == result)
                    let body = try await exporter.request("/api/v1/report?format=json").body
                    let found = try JSONDecoder().decode(Report.self, from: Data(body.utf8)).speedTests.belowPlan
                    let shortfall = try #require(found.count == 1 ? found[0] : nil, "\(found)")
                    #expect(shortfall.server == "first" && shortfall.secondServer == "second")
                    #expect(shortfall.confirmation == result && (7...10).contains(shortfall.measuredMbps))
                    if result == "confirmed" {
                        #expect(!["destination", "link", "host"].contains(shortfall.location), "\(shortfall)")
                        try await poll("the event") { stream.output.contains("event: below_plan\n") ? true : nil }
                    } else {
                        #expect(shortfall.location == "destination", "\(shortfall)")
                        #expect(!stream.output.contains("event: below_plan\n"))
                    }
                }
            }
        }
    }
}
