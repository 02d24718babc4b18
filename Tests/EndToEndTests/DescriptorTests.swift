import Foundation
import Glibc
import Testing

extension EndToEndTests {
    /// More probes than this process may have sockets.
    @Suite(.timeLimit(.minutes(4))) struct Descriptors {
        /// Long enough that each target is probed several times beside all others that lack a socket.
        private static let seconds = 20

        /// One exporter and its limit of open files.
        private struct Case {
            var limit: Int
            var exporter: ExporterProcess
            /// Whether its targets need more sockets than it may have.
            var isBound: Bool
        }

        private static var hardLimit: Int {
            var limits = rlimit()
            guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0 else { return 0 }
            return Int(clamping: limits.rlim_max)
        }

        /// SYNs to these vanish: no port answers, and no router says so.
        private static func tcpTargets(_ count: Int) -> String {
            (0..<count).map { number in
                "  - { name: t\(number), module: tcp, address: \"198.19.\(number / 250).\(number % 250 + 1):443\", interval: 1s }\n"
            }.joined()
        }

        private static func httpTargets(_ count: Int, _ address: String) -> String {
            (0..<count).map { number in
                "  - { name: h\(number), module: http, address: \"http://\(address)/\(number)\", interval: 1s }\n"
            }.joined()
        }

        private func start(_ limit: Int, _ targets: String, in host: Namespace) async throws -> ExporterProcess {
            try await ExporterProcess(
                ["--log.level=info"],
                configuration: ExporterProcess.quiet + "targets:\n" + targets,
                in: host,
                wrapper: ["prlimit", "--nofile=\(limit):\(limit)"]
            )
        }

        @Test func `2,000 tcp targets with lost SYNs or 150 silent http servers end no exporter at any limit`()
            async throws
        {
            try await withCable { host, _ in
                // A neighbour that does not exist takes what is sent.
                try await host.ip("neigh add 198.18.0.1 lladdr 02:00:00:00:00:01 dev eth0 nud permanent")
                let silent = try Program(
                    host.prefix + [
                        "python3", "-c",
                        "import socket,time;s=socket.create_server(('127.0.0.1',8099),backlog=8192);print('ready',flush=True);time.sleep(600)",
                    ]
                )
                defer { silent.signal(SIGKILL) }
                try await poll("the silent server") { silent.output.contains("ready") ? true : nil }
                let large = min(65_536, Self.hardLimit)
                var cases: [Case] = []
                for limit in [256, 1024, large] {
                    let exporter = try await start(limit, Self.tcpTargets(2000), in: host)
                    cases.append(Case(limit: limit, exporter: exporter, isBound: limit < 2000))
                }
                let http = try await start(256, Self.httpTargets(150, "127.0.0.1:8099"), in: host)
                cases.append(Case(limit: 256, exporter: http, isBound: true))

                let end = ContinuousClock.now + .seconds(Self.seconds)
                while ContinuousClock.now < end {
                    for row in cases {
                        try #require(
                            row.exporter.program.isRunning,
                            "limit \(row.limit): \(row.exporter.log.suffix(2000))"
                        )
                        #expect(try await row.exporter.request("/metrics").status == 200, "limit \(row.limit)")
                    }
                    try await Task.sleep(for: .seconds(2))  // the pace of the scrapes
                }
                for row in cases { try await check(row) }
            }
        }

        private func check(_ row: Case) async throws {
            let samples = try await row.exporter.request("/metrics").samples
            func value(_ name: String) -> Double? { samples[name].flatMap(Double.init) }
            func sum(_ prefix: String, _ part: String = "") -> Double {
                samples.filter { $0.key.hasPrefix(prefix) && $0.key.contains(part) }.values.compactMap(Double.init)
                    .reduce(0, +)
            }
            #expect(value("process_max_fds") == Double(row.limit))
            let open = try #require(value("process_open_fds"))
            #expect(open < Double(row.limit) - 32, "limit \(row.limit)")
            let timeouts = sum("network_health_target_probe_failures_total", "reason=\"timeout\"")
            let local = sum("network_health_target_probe_failures_total", "reason=\"local\"")
            print("limit \(row.limit): \(open) open, \(timeouts) time-outs, \(local) local failures")
            #expect(timeouts > 0)
            #expect((local > 0) == row.isBound, "limit \(row.limit)")
            let lines = row.exporter.log.split(separator: "\n").filter { $0.contains("a limit of this machine") }
            #expect(row.isBound ? (1...3).contains(lines.count) : lines.isEmpty, "\(lines)")
            #expect(lines.allSatisfy { $0.contains("last=") && $0.contains("max_fds=\(row.limit)") }, "\(lines)")
            #expect(try await row.exporter.stop() == 0)
        }

        @Test func `The first probe of the router finds it, in ten starts`() async throws {
            try await withCable { host, router in
                try await router.ip("address add 198.18.0.1/24 dev eth0")
                for start in 1...10 {
                    try await withExporter(
                        configuration: """
                            internet: { enabled: false }
                            targets:
                              - { name: router, module: icmp, address: _gateway, interval: 1s }

                            """,
                        in: host
                    ) { exporter in
                        let labels = #"{target="router"}"#
                        try await poll("a probe of the router") {
                            try await exporter.sample("network_health_target_probes_total\(labels)") == "0" ? nil : true
                        }
                        #expect(
                            try await exporter.sample("network_health_target_up\(labels)") == "1",
                            "start \(start): \(exporter.log)"
                        )
                        #expect(!exporter.log.contains("Target is down"), "start \(start): \(exporter.log)")
                    }
                }
            }
        }
    }
}
