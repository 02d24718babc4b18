import Foundation
import Testing

extension EndToEndTimingTests {
    /// How fast, and how sure, a verdict follows what happens.
    @Suite(.timeLimit(.minutes(3))) struct InternetChange {
        private static let online = "network_health_online"

        private func withOnline(_ body: (FakeInternet, ExporterProcess) async throws -> Void) async throws {
            try await withInternet { internet in
                let configuration = FakeInternet.configuration(interval: "3s", timeout: "3s")
                try await withExporter(configuration: configuration, in: internet.host) { exporter in
                    for family in ["ipv4", "ipv6"] {
                        let name = "network_health_internet_family_state{family=\"\(family)\",state=\"online\"}"
                        try await poll("\(family) online") { try await exporter.sample(name) == "1" ? true : nil }
                    }
                    try await body(internet, exporter)
                }
            }
        }

        /// Waits for a value; returns its `lateness`, counted from the call.
        @discardableResult
        private func wait(
            for value: String,
            of exporter: ExporterProcess,
            within limit: Duration = .seconds(30)
        ) async throws -> Duration {
            try await lateness(of: "online \(value)", since: .now, within: limit) {
                try await exporter.sample(Self.online) == value
            }
        }

        private func outages(_ exporter: ExporterProcess) async throws -> [String: String] {
            try await exporter.request("/metrics").samples
                .filter { $0.key.hasPrefix("network_health_outages_total") && $0.value != "0" }
        }

        @Test func `a silent cut is offline within twelve seconds of the first round, and its mending is seen`()
            async throws
        {
            try await withOnline { internet, exporter in
                try await internet.cutUpstreamSilently()
                let took = try await wait(for: "0", of: exporter)
                // The next round may begin three seconds after the cut.
                #expect(took <= .seconds(15), "\(took)")
                #expect(try await outages(exporter) == [#"network_health_outages_total{cause="no_internet"}"#: "1"])
                let offline = #"network_health_offline_seconds_total{cause="no_internet"}"#
                // Counted from the first failed round on, not from the verdict.
                let seconds = try await exporter.sample(offline).flatMap(Double.init)
                #expect(try #require(seconds) >= took / .seconds(1) - 4, "\(took)")
                try await internet.mendUpstreamSilently()
                // Whatever the pause between rounds is: a packet goes out every 1.8 s.
                let back = try await wait(for: "1", of: exporter)
                #expect(back <= .seconds(8), "\(back)")
                #expect(try await outages(exporter).count == 1)
            }
        }

        @Test func `an outage is recorded to 2 s though rounds are a minute apart`() async throws {
            try await withInternet { internet in
                let target = """
                    targets:
                      - { name: web, module: tcp, address: "\(FakeInternet.webIPv4):80", interval: 1s, timeout: 1s }
                    """
                let configuration = FakeInternet.configuration(interval: "60s", timeout: "2s", target)
                try await withExporter(configuration: configuration, in: internet.host) { exporter in
                    try await wait(for: "1", of: exporter)
                    let up = #"network_health_target_up{target="web"}"#
                    try await poll("the target") { try await exporter.sample(up) == "1" ? true : nil }
                    // Each is between the begin and the end of its commands.
                    func times(of change: () async throws -> Void) async throws -> ClosedRange<Double> {
                        let start = Date.now.timeIntervalSince1970
                        try await change()
                        return start...max(start, Date.now.timeIntervalSince1970)
                    }
                    let cut = try await times { try await internet.cutUpstreamSilently() }
                    let shown = try await wait(for: "0", of: exporter)
                    #expect(shown <= .seconds(12), "\(shown)")
                    let mended = try await times { try await internet.mendUpstreamSilently() }
                    try await wait(for: "1", of: exporter)
                    let scrape = try await exporter.request("/metrics").samples
                    let start = scrape["network_health_last_outage_start_timestamp_seconds"].flatMap(Double.init) ?? 0
                    let end = scrape["network_health_last_outage_end_timestamp_seconds"].flatMap(Double.init) ?? 0
                    #expect(start >= cut.lowerBound - 2 && start <= cut.upperBound + 2, "\(start), \(cut)")
                    #expect(end >= mended.lowerBound - 2 && end <= mended.upperBound + 2, "\(end), \(mended)")
                    let info = #"network_health_last_outage_info{cause="no_internet",location="#
                    #expect(scrape.contains { $0.key.hasPrefix(info) && $0.value == "1" })
                    let length = scrape[#"network_health_offline_seconds_total{cause="no_internet"}"#].flatMap(
                        Double.init
                    )
                    #expect(abs((length ?? 0) - (end - start)) < 0.01)
                }
            }
        }

        @Test func `single failures do not change the state`() async throws {
            try await withOnline { internet, exporter in
                for _ in 0..<3 {
                    let name =
                        #"network_health_internet_probe_failures_total{probe="google",family="ipv4",reason="refused"}"#
                    let before = try await exporter.sample(name).flatMap { Int($0) } ?? 0
                    try await internet.stopServing()
                    try await poll("a failed round") {
                        let scrape = try await exporter.request("/metrics").samples
                        #expect(scrape[Self.online] == "1")
                        return (scrape[name].flatMap { Int($0) } ?? 0) > before ? true : nil
                    }
                    try await internet.serve(.honest)
                    let served = Date.now.timeIntervalSince1970
                    try await poll("a good round of both families") {
                        let scrape = try await exporter.request("/metrics").samples
                        return ["ipv4", "ipv6"].allSatisfy { family in
                            let name = "network_health_internet_last_success_timestamp_seconds{family=\"\(family)\"}"
                            return scrape[name].flatMap(Double.init) ?? 0 > served
                        } ? true : nil
                    }
                }
                #expect(try await outages(exporter).isEmpty)
            }
        }

        @Test func `a pulled cable is offline at once, and one success after its return is enough`() async throws {
            try await withOnline { internet, exporter in
                try await internet.router.ip("link set eth0 down")
                let lost = try await wait(for: "0", of: exporter)
                #expect(lost <= .milliseconds(1500), "\(lost)")
                #expect(try await exporter.request("/health").body == "offline\n")
                try await internet.router.ip("link set eth0 up")
                try await internet.router.ip("-6 address replace 2001:2:0:1::1/64 dev eth0 nodad")
                let back = try await wait(for: "1", of: exporter)
                #expect(back <= .seconds(5), "\(back)")
                #expect(try await outages(exporter) == [#"network_health_outages_total{cause="link"}"#: "1"])
                // The log of one outage: lost, connected again, verified.
                let end = #/Online again via Ethernet \(eth0\) after [0-9.]+ s \(cause: link\)/#
                try await poll("the line of the return") { exporter.log.contains(end) ? true : nil }
                #expect(exporter.log.contains("Offline: link down (cause: link)"))
                let later = exporter.log.split(separator: "\n").drop { !$0.contains("Offline: link down") }
                #expect(later.contains { $0.contains("the internet is not verified yet") })
                #expect(!later.contains { $0.contains("Offline: no internet") || $0.contains("no_route") }, "\(later)")
            }
        }

        @Test func `a portal is reported after two rounds, and cleared after the login`() async throws {
            try await withOnline { internet, exporter in
                try await internet.serve(.loginPage)
                try await wait(for: "0", of: exporter)
                #expect(try await outages(exporter) == [#"network_health_outages_total{cause="captive_portal"}"#: "1"])
                try await internet.serve(.honest)
                try await wait(for: "1", of: exporter, within: .seconds(60))
            }
        }

        @Test func `switching it off and on again needs no restart`() async throws {
            try await withInternet { internet in
                let folder = try TemporaryFolder()
                let file = try folder.write("config.yml", ExporterProcess.quiet)
                let flags = ["--config.file=\(file)", "--web.enable-lifecycle"]
                try await withExporter(flags, in: internet.host) { exporter in
                    try await wait(for: "1", of: exporter)
                    let state = #"network_health_internet_state{state="online"}"#
                    #expect(try await exporter.sample(state) == nil)
                    for _ in 0..<2 {
                        try folder.write("config.yml", FakeInternet.configuration())
                        #expect(try await exporter.request("/-/reload", method: "POST").status == 200)
                        try await poll("a verdict") { try await exporter.sample(state) == "1" ? true : nil }
                        try folder.write("config.yml", ExporterProcess.quiet)
                        #expect(try await exporter.request("/-/reload", method: "POST").status == 200)
                        try await poll("none") { try await exporter.sample(state) == nil ? true : nil }
                        #expect(try await exporter.sample(Self.online) == "1")
                    }
                }
            }
        }
    }
}
