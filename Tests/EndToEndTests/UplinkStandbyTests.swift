import Foundation
import Testing

extension EndToEndTests {
    /// A host with two ways to the same internet: the standby is watched, fails, and takes over.
    @Suite(.timeLimit(.minutes(2))) struct UplinkStandby {
        private static let uplinks = """
            uplinks:
              - { name: standby, provider: Other, match: { interface: eth1 }, standby_interval: 1s }
            """

        private static func name(_ metric: String, _ uplink: String = "standby") -> String {
            "network_health_uplink_\(metric){uplink=\"\(uplink)\"}"
        }

        private struct Snapshot: Decodable {
            struct Uplink: Decodable {
                var name: String
                var provider: String?
                var active: Bool
                var online: Bool?
            }
            var uplinks: [Uplink]
        }

        @Test func `a standby's death is seen before it is needed, and a failover is counted once with its seconds`()
            async throws
        {
            try await withInternet { internet in
                let (host, far) = (internet.host, internet.internet)
                try await host.ip("link add eth1 type veth peer name spare netns \(far.name)")
                for (side, device, address) in [(host, "eth1", "198.18.5.2"), (far, "spare", "198.18.5.1")] {
                    try await side.ip("address add \(address)/24 dev \(device)")
                    try await side.ip("link set \(device) up")
                    try await side.set("net.ipv4.conf.\(device).rp_filter", to: "0")
                }
                try await host.set("net.ipv4.conf.all.rp_filter", to: "0")
                // One family, so that one uplink carries the path.
                try await host.ip("-6 route del default")
                try await host.ip("route add default via 198.18.5.1 metric 1024")
                let configuration = FakeInternet.configuration(Self.uplinks)
                try await withExporter(configuration: configuration, in: host) { exporter in
                    func wait(_ what: String, _ name: String, _ value: String) async throws {
                        try await poll(what) { try await exporter.sample(name) == value ? true : nil }
                    }
                    try await wait("the standby", Self.name("online"), "1")
                    try await wait("the uplink in use", Self.name("online", "eth0"), "1")
                    #expect(try await exporter.sample(Self.name("active")) == "0")
                    #expect(try await exporter.sample(Self.name("active", "eth0")) == "1")

                    func health(_ query: String) async throws -> (status: Int, body: String) {
                        // Longer than the longest wait.
                        let answer = try await exporter.request("/health?\(query)", within: 30)
                        return (answer.status, answer.body)
                    }
                    #expect(try await health("uplink=standby").status == 200)
                    #expect(try await health("uplink=lte") == (400, "unknown uplink \"lte\"; one of: standby, eth0\n"))
                    try await far.ip("link set spare down")
                    try await wait("the standby's outage", Self.name("online"), "0")
                    #expect(try await health("uplink=standby") == (503, "offline\n"))
                    #expect(try await health("uplink=eth0").status == 200)
                    #expect(try await exporter.sample("network_health_online") == "1")
                    try await far.ip("link set spare up")
                    #expect(try await health("uplink=standby&wait=20s") == (200, "online\n"))
                    try await wait("the standby's return", Self.name("online"), "1")
                    func history(_ kind: String) async throws -> [Substring] {
                        let csv = try await exporter.request("/api/v1/history?kind=\(kind)&format=csv").body
                        return csv.split(separator: "\r\n").dropFirst().map(\.self)
                    }
                    let row = try await poll("the standby's outage in the history") {
                        try await history("uplink_outages").first { !$0.contains(",,") }
                    }
                    #expect(row.contains(/^standby,[^,]+Z,[^,]+Z,[0-9.]+,link,link$/), "\(row)")
                    #expect(try await history("outages").isEmpty, "the host was online")

                    let switched = ContinuousClock.now
                    try await host.ip("route del default via 198.18.0.1")
                    try await wait("the failover", Self.name("active"), "1")
                    let seen = ContinuousClock.now
                    try await wait("the verdict about it", "network_health_online", "1")
                    let asked = ContinuousClock.now
                    let scrape = try await exporter.request("/metrics").samples
                    let active = try #require(scrape[Self.name("active_seconds_total")].flatMap(Double.init))
                    // It began between the command and the first sample that says so, and ends with the scrape.
                    #expect(active >= seen.duration(to: asked) / .seconds(1) - 0.01)
                    #expect(active <= switched.duration(to: .now) / .seconds(1) + 0.01)
                    let switches = ["standby", "eth0"].map { name in
                        scrape["network_health_uplink_switches_total{uplink=\"\(name)\",source=\"route\"}"]
                    }
                    #expect(switches == ["1", "0"])
                    #expect(scrape[Self.name("outages_total")] == "1" && scrape[Self.name("active", "eth0")] == "0")
                    let body = try await exporter.request("/api/v1/snapshot").body
                    let uplinks = try JSONDecoder().decode(Snapshot.self, from: Data(body.utf8)).uplinks
                    #expect(uplinks.map(\.name) == ["standby", "eth0"])
                    #expect(uplinks.first?.active == true && uplinks.first?.online == true)
                    #expect(uplinks.first?.provider == "Other")
                    #expect(exporter.log.contains("The path leads over the uplink standby, it led over eth0."))
                    #expect(exporter.log.contains("The uplink standby does not reach the internet (cause: link)."))
                }
            }
        }
    }
}
