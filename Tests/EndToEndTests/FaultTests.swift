import Foundation
import Glibc
import Testing

extension EndToEndTests {
    /// Faults of the machine and of the network, which the exporter reports and survives: docs/faults.md has the table.
    @Suite(.timeLimit(.minutes(2))) struct Faults {
        static let connected = "network_health_connected"
        static let linkOutages = #"network_health_outages_total{cause="link"}"#
        /// Opens 300 connections, one each 5 ms, from four clients in turn, that send nothing and are never closed.
        private static let holder = """
            import socket, sys, time
            server, held = ("127.0.0.1", int(sys.argv[1])), []
            for number in range(300):
                held.append(socket.create_connection(server, source_address=(f"127.0.0.{2 + number % 4}", 0)))
                time.sleep(0.005)
            time.sleep(60)
            """

        /// The samples of a scrape in which no series has that device: the parts follow the path one after the other.
        private func scrape(_ exporter: ExporterProcess, without device: String) async throws -> [String: String] {
            try await poll("no series of \(device)") {
                let samples = try await exporter.request("/metrics").samples
                return samples.keys.contains { $0.contains("device=\"\(device)\"") } ? nil : samples
            }
        }

        @Test func `an interface that is renamed, deleted and made again is followed`() async throws {
            try await withCable { host, router in
                try await withExporter(in: host) { exporter in
                    try await exporter.wait(for: Self.connected, "1")
                    try await host.ip("link set eth0 name wan0")
                    let info = { (device: String) in #"network_health_path_info{family="ipv4",device="\#(device)"}"# }
                    try await exporter.wait(for: info("wan0"), "1")
                    let renamed = try await scrape(exporter, without: "eth0")
                    #expect(renamed[Self.connected] == "1" && renamed[Self.linkOutages] == "0")

                    try await host.ip("link delete wan0")
                    try await exporter.wait(for: Self.connected, "0")
                    let deleted = try await scrape(exporter, without: "wan0")
                    #expect(deleted[#"network_health_path_unsatisfied_reason{reason="link_down"}"#] == "1")
                    #expect(deleted[Self.linkOutages] == "1")

                    try await host.ip("link add wan0 type veth peer name eth0 netns \(router.name)")
                    try await router.ip("link set eth0 up")
                    try await host.ip("address add 198.18.0.2/24 dev wan0")
                    try await host.ip("link set wan0 up")
                    try await host.ip("route add default via 198.18.0.1 dev wan0")
                    try await exporter.wait(for: info("wan0"), "1")
                    try await exporter.wait(for: Self.connected, "1")
                    #expect(try await exporter.sample("network_health_netlink_drift_total") == "0")
                    #expect(try await exporter.sample(Self.linkOutages) == "1")
                }
            }
        }

        @Test func `with a dead nameserver threads and descriptors stay flat, and each probe fails as resolve`()
            async throws
        {
            let targets = (1...20).map {
                "  - { name: t\($0), module: http, address: \"http://t\($0).test/\", interval: 1s }\n"
            }
            try await withNetwork { host in
                // A neighbour that does not exist takes the queries.
                try await host.ip("neigh add 198.18.0.1 lladdr 02:00:00:00:00:01 dev eth0 nud permanent")
                let configuration = ExporterProcess.quiet + "targets:\n" + targets.joined()
                try await withExporter(configuration: configuration, in: host) { exporter in
                    let failures = (1...20).map {
                        "network_health_target_probe_failures_total{target=\"t\($0)\",reason=\"resolve\"}"
                    }
                    func wait(for count: Double) async throws -> [String: Double] {
                        try await poll("\(count) failures of each target", within: .seconds(30)) {
                            let numbers = try await exporter.numbers()
                            return failures.allSatisfy { numbers[$0] ?? 0 >= count } ? numbers : nil
                        }
                    }
                    _ = try await wait(for: 1)
                    let before = try exporter.threadsAndFiles()
                    let after = try await wait(for: 4)
                    let now = try exporter.threadsAndFiles()
                    // 60 lookups later; one may be under way at either moment.
                    #expect(now.threads <= before.threads + 4 && now.files <= before.files + 8, "\(before) → \(now)")
                    #expect(after[Self.connected] == 1)
                    let others = after.filter {
                        $0.key.contains("probe_failures_total") && !$0.key.contains("resolve") && $0.value > 0
                    }
                    #expect(others.isEmpty, "\(others)")
                }
            }
        }

        /// Without one at all libdispatch ends the process (see `DescriptorReserve`), so the reserve is what may be reached.
        @Test
        func `in the reserve of descriptors no core spins, an outage is noticed, clients get 503 until some are free`()
            async throws
        {
            let targets = """
                targets:
                  - { name: port, module: tcp, address: "198.18.0.1:81", interval: 200ms }
                  - { name: page, module: http, address: "http://198.18.0.1:81/", interval: 200ms }

                """
            try await withCable { host, router in
                try await router.ip("address add 198.18.0.1/24 dev eth0")
                try await withExporter(
                    configuration: ExporterProcess.quiet + targets,
                    in: host,
                    wrapper: ["prlimit", "--nofile=256:256"]
                ) { exporter in
                    try await exporter.wait(for: Self.connected, "1")
                    let holder = try Program(host.prefix + ["python3", "-c", Self.holder, "\(exporter.port)"])
                    defer { holder.signal(SIGKILL) }
                    try await poll("the lack of descriptors in the log") {
                        exporter.log.contains("cannot accept connections for now") ? true : nil
                    }
                    let before = try exporter.processorTicks()
                    try await router.ip("link set eth0 down")
                    try await poll("the outage in the log") { exporter.log.contains("Offline: link down") ? true : nil }
                    try await Task.sleep(for: .seconds(2))  // what is measured
                    let used = try exporter.processorTicks() - before
                    #expect(used < 60, "\(used) ticks")
                    #expect(try await exporter.request("/metrics").status == 503)
                    holder.signal(SIGKILL)
                    try await poll("a scrape") { try await exporter.request("/metrics").status == 200 ? true : nil }
                    let after = try await exporter.numbers()
                    #expect(after[Self.linkOutages] == 1)
                    let local = ["port", "page"].map {
                        "network_health_target_probe_failures_total{target=\"\($0)\",reason=\"local\"}"
                    }
                    #expect(local.allSatisfy { after[$0] ?? 0 > 0 })
                }
            }
        }
    }
}
