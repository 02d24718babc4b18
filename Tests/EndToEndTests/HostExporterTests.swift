import Foundation
import Glibc
import Testing

extension EndToEndTimingTests {
    /// Containers that follow the exporter of their host.
    @Suite(.timeLimit(.minutes(4))) struct HostExporter {
        private static let sidecars = 20

        /// A host whose uplink looks like a modem, with a rule that a reload changes, and containers on cables of their own.
        private func withPods(
            _ body: (_ host: Namespace, _ pods: [Namespace]) async throws -> Void
        ) async throws {
            try await withNamespace { router in
                try await withNamespace { host in
                    try await host.ip("link add rmnet0 type veth peer name eth0 netns \(router.name)")
                    try await router.ip("address add 198.18.255.1/24 dev eth0")
                    try await router.ip("link set eth0 up")
                    try await host.ip("address add 198.18.255.2/24 dev rmnet0")
                    try await host.ip("link set rmnet0 up")
                    try await host.ip("route add default via 198.18.255.1")
                    var pods: [Namespace] = []
                    for number in 1...Self.sidecars {
                        let pod = try await Namespace()
                        pods.append(pod)
                        try await pod.ip("link add eth0 type veth peer name pod\(number) netns \(host.name)")
                        try await host.ip("address add 198.18.\(number).1/24 dev pod\(number)")
                        try await host.ip("link set pod\(number) up")
                        try await pod.ip("address add 198.18.\(number).2/24 dev eth0")
                        try await pod.ip("link set eth0 up")
                        try await pod.ip("route add default via 198.18.\(number).1")
                    }
                    do {
                        try await body(host, pods)
                    } catch {
                        for pod in pods { try? await pod.delete() }
                        throw error
                    }
                    for pod in pods { try? await pod.delete() }
                }
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
            try await withPods { host, pods in
                let folder = try TemporaryFolder()
                let file = try folder.write("host.yml", Self.configuration(expensive: true))
                let seen = try await ExporterProcess(
                    ["--config.file=\(file)", "--web.listen-address=:10319"],
                    in: host
                )
                defer { seen.program.signal(SIGKILL) }
                var sidecars: [ExporterProcess] = []
                defer { for sidecar in sidecars { sidecar.program.signal(SIGKILL) } }
                for (index, pod) in pods.enumerated() {
                    // The defaults, which contact public hosts unless the host does so for all.
                    sidecars.append(
                        try await ExporterProcess(
                            configuration: "{}\n",
                            in: pod,
                            environment: ["NHE_HOST_URL": "http://198.18.\(index + 1).1:10319"]
                        )
                    )
                }
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
                let variable = ["NHE_HOST_URL": "http://198.18.1.1:10319"]
                let command = pods[0].prefix + [Repository.executable, "snapshot", "--json"]
                let snapshot = try await run(command, environment: variable)
                #expect(snapshot.status == 0 && snapshot.errors.isEmpty, "\(snapshot.errors)")
                #expect(snapshot.output.contains(#""expensiveSource":"host""#), "\(snapshot.output)")
                #expect(snapshot.output.contains(#""online":true"#), "\(snapshot.output)")
                _ = try folder.write("host.yml", Self.configuration(expensive: false))
                seen.program.signal(SIGHUP)
                let changed = ContinuousClock.now
                for sidecar in sidecars {
                    try await poll("the host's new cost") {
                        try await sidecar.request("/health?requirement=unmetered").status == 200 ? true : nil
                    }
                }
                // All twenty are asked one after the other in this time.
                let delay = changed.duration(to: .now)
                #expect(delay < .seconds(10), "\(delay)")
                seen.program.signal(SIGKILL)
                for sidecar in sidecars {
                    try await poll("the loss of the host", within: .seconds(40)) {
                        try await reasons(sidecar, "unmetered") == ["cost_unknown"] ? true : nil
                    }
                    let scrape = try await sidecar.request("/metrics").samples
                    #expect(scrape["network_health_expensive"] == nil)
                    #expect(scrape[#"network_health_interface_type{interface_type="unknown"}"#] == "1")
                    #expect(scrape[#"network_health_monitor_backend_up{backend="host"}"#] == "0")
                    #expect(scrape["network_health_connected"] == "1")
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
                    #expect(exporter.log.contains("--path.expensive"))
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
