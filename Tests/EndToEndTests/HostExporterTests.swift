import Foundation
import Glibc
import Testing

extension EndToEndTimingTests {
    /// Containers that follow the exporter of their host.
    @Suite(.timeLimit(.minutes(4))) struct HostExporter {
        private static let sidecars = 20

        private func withPods(_ body: (_ router: Namespace, _ network: HostNetwork) async throws -> Void) async throws {
            try await withNamespace { router in
                try await withHost(behind: router, pods: Self.sidecars) { try await body(router, $0) }
            }
        }

        /// An exporter in each, with the defaults, which contact public hosts unless the host does so for all.
        private func follow(_ network: HostNetwork) async throws -> [ExporterProcess] {
            var sidecars: [ExporterProcess] = []
            do {
                for (index, pod) in network.pods.enumerated() {
                    let variable = network.environment(ofPod: index)
                    sidecars.append(try await ExporterProcess(configuration: "{}\n", in: pod, environment: variable))
                }
                return sidecars
            } catch {
                for sidecar in sidecars { sidecar.program.signal(SIGKILL) }
                throw error
            }
        }

        private static func configuration(expensive: Bool) -> String {
            """
            path: { viewpoint: host, rules: [{ interface: "rmnet*", expensive: \(expensive) }] }
            internet: { enabled: false }

            """
        }

        private func reasons(_ exporter: ExporterProcess, _ requirement: String) async throws -> [String] {
            struct Answer: Decodable { var reasons: [String] }
            let answer = try await exporter.request("/health?requirement=\(requirement)&format=json")
            return try JSONDecoder().decode(Answer.self, from: Data(answer.body.utf8)).reasons
        }

        @Test func `containers adopt the host's type and cost, follow a change within a second, and a loss in 15 s`()
            async throws
        {
            try await withPods { _, network in
                let folder = try TemporaryFolder()
                let file = try folder.write("host.yml", Self.configuration(expensive: true))
                let seen = try await ExporterProcess(
                    ["--config.file=\(file)", "--web.listen-address=:10319"],
                    in: network.host
                )
                defer { seen.program.signal(SIGKILL) }
                let sidecars = try await follow(network)
                defer { for sidecar in sidecars { sidecar.program.signal(SIGKILL) } }
                for sidecar in sidecars {
                    try await poll("the host's cost") {
                        try await reasons(sidecar, "unmetered") == ["expensive"] ? true : nil
                    }
                    let scrape = try await sidecar.request("/metrics").samples
                    #expect(scrape["network_health_expensive"] == "1")
                    #expect(scrape[#"network_health_expensive_source_info{source="host"}"#] == "1")
                    #expect(scrape[#"network_health_interface_type{interface_type="cellular"}"#] == "1")
                    #expect(scrape[#"network_health_monitor_backend_up{backend="host"}"#] == "1")
                    #expect(scrape["network_health_online"] == "1")
                    #expect(scrape.keys.allSatisfy { !$0.hasPrefix("network_health_internet_probes_total") })
                }
                // A command in a pod asks it, too, and contacts no other host.
                let command = network.pods[0].prefix + [Repository.executable, "snapshot", "--json"]
                let snapshot = try await run(command, environment: network.environment(ofPod: 0))
                #expect(snapshot.status == 0 && snapshot.errors.isEmpty, "\(snapshot.errors)")
                #expect(snapshot.output.contains(#""expensiveSource":"host""#), "\(snapshot.output)")
                #expect(snapshot.output.contains(#""online":true"#), "\(snapshot.output)")
                _ = try folder.write("host.yml", Self.configuration(expensive: false))
                seen.program.signal(SIGHUP)
                let changed = ContinuousClock.now
                // All twenty are asked one after the other.
                for sidecar in sidecars {
                    let delay = try await lateness(of: "the host's new cost", since: changed) {
                        try await sidecar.request("/health?requirement=unmetered").status == 200
                    }
                    #expect(delay < .seconds(5), "\(delay)")
                }
                seen.program.signal(SIGKILL)
                for sidecar in sidecars {
                    try await poll("the loss of the host", within: .seconds(40)) {
                        try await reasons(sidecar, "unmetered") == ["cost_unknown"] ? true : nil
                    }
                    let answer = try await sidecar.request("/health?requirement=unmetered&format=json").body
                    #expect(answer.contains("The exporter of the host does not answer"), "\(answer)")
                    let scrape = try await sidecar.request("/metrics").samples
                    #expect(scrape["network_health_expensive"] == nil)
                    #expect(scrape[#"network_health_interface_type{interface_type="unknown"}"#] == "1")
                    #expect(scrape[#"network_health_monitor_backend_up{backend="host"}"#] == "0")
                    #expect(scrape["network_health_connected"] == "1")
                }
            }
        }

        @Test func `an outage of the host has its begin, end and place in a container, too`() async throws {
            struct Outage: Decodable {
                var startedAt: Date
                var endedAt: Date?
                var location: String
            }
            struct Status: Decodable { var outages: [Outage]? }
            func last(of exporter: ExporterProcess) async throws -> Outage? {
                let decoder = JSONDecoder()
                decoder.dateDecodingStrategy = .custom { decoder in
                    let text = try decoder.singleValueContainer().decode(String.self)
                    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
                    return try Date(text, strategy: style)
                }
                let body = try await exporter.request("/api/v1/status").body
                return try decoder.decode(Status.self, from: Data(body.utf8)).outages?.first
            }
            try await withNamespace { router in
                try await withHost(behind: router, pods: 1) { network in
                    let flags = ["--web.listen-address=:10319"]
                    try await withExporter(flags, configuration: ExporterProcess.quiet, in: network.host) { seen in
                        let variable = network.environment(ofPod: 0)
                        let pod = network.pods[0]
                        try await withExporter(configuration: "{}\n", in: pod, environment: variable) { pod in
                            for exporter in [seen, pod] {
                                try await poll("the network") {
                                    try await exporter.sample("network_health_online") == "1" ? true : nil
                                }
                            }
                            try await network.host.ip("link set rmnet0 down")
                            try await poll("the place of the outage", within: .seconds(40)) {
                                try await last(of: pod)?.location == "link" ? true : nil
                            }
                            try await network.host.ip("link set rmnet0 up")
                            try await network.host.ip("route replace default via \(HostNetwork.router)")
                            let there = try await poll("the end at the host", within: .seconds(40)) {
                                try await last(of: seen).flatMap { $0.endedAt == nil ? nil : $0 }
                            }
                            let here = try await poll("the end in the container", within: .seconds(40)) {
                                try await last(of: pod).flatMap { $0.endedAt == nil ? nil : $0 }
                            }
                            // Both have this machine's clock: what the event of the host takes to arrive is in neither time.
                            for (one, other) in [(here.startedAt, there.startedAt), (here.endedAt, there.endedAt)] {
                                let difference = try #require(one).timeIntervalSince(#require(other))
                                #expect(abs(difference) < 0.1, "\(here) \(there)")
                            }
                            #expect(here.location == "link" && there.location == "link")
                        }
                    }
                }
            }
        }

        @Test func `one speed test of the host has its result in each container`() async throws {
            try await withPods { router, network in
                let server = ["--web.listen-address=\(HostNetwork.router):10319"]
                try await withExporter(server, configuration: SpeedLab.serverConfiguration, in: router) { _ in
                    let configuration = """
                        path: { viewpoint: host }
                        internet: { enabled: false }
                        speedtest:
                          servers: [{ name: far, protocol: speedlab, url: "http://\(HostNetwork.router):10319/speedtest" }]
                          directions: [download]
                          schedule: { interval: 1h }
                          on_expensive: run

                        """
                    let flags = ["--web.listen-address=:10319", "--web.enable-admin-api"]
                    try await withExporter(flags, configuration: configuration, in: network.host) { seen in
                        let sidecars = try await follow(network)
                        defer { for sidecar in sidecars { sidecar.program.signal(SIGKILL) } }
                        try await seen.waitUntilReady()
                        let result = try await seen.makeSpeedTest()
                        #expect(result.error == nil && result.download != nil, "\(result)")
                        let snapshot = try await seen.request("/api/v1/snapshot").body
                        let speed = try #require(snapshot.firstMatch(of: /"downloadSpeedMbps":[0-9.]+,/), "\(snapshot)")
                            .0
                        for sidecar in sidecars {
                            try await poll("the host's speed") {
                                let body = try await sidecar.request("/api/v1/snapshot").body
                                return body.contains(speed) ? true : nil
                            }
                            let scrape = try await sidecar.request("/metrics").samples
                            #expect(scrape["network_health_quality_measured"] == "1")
                            #expect(scrape.keys.allSatisfy { !$0.hasPrefix("network_health_speedtest_runs_total") })
                        }
                        #expect(try await seen.speedTestSample("runs_total") == 1)
                    }
                }
            }
        }

        @Test func `without an exporter of the host the cost is unknown, and a variable decides it`() async throws {
            try await withCable { host, _ in
                let quiet = "internet: { enabled: false }\n"
                try await withExporter(configuration: quiet, in: host) { exporter in
                    try await exporter.waitUntilReady()
                    #expect(try await reasons(exporter, "unmetered") == ["cost_unknown"])
                    let scrape = try await exporter.request("/metrics").samples
                    #expect(scrape["network_health_expensive"] == nil)
                    #expect(scrape[#"network_health_interface_type{interface_type="unknown"}"#] == "1")
                    try await poll("the advice in the log") { exporter.log.contains("--path.expensive") ? true : nil }
                }
                try await withExporter(
                    configuration: quiet,
                    in: host,
                    environment: ["NHE_PATH_EXPENSIVE": "false"]
                ) { exporter in
                    try await exporter.waitUntilReady()
                    #expect(try await exporter.request("/health?requirement=unmetered").status == 200)
                }
            }
        }
    }
}
