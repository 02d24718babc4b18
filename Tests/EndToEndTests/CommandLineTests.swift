import Foundation
import Glibc
import Testing

extension EndToEndTests {
    @Suite(.timeLimit(.minutes(1))) struct CommandLine {
        private func exporter(
            _ arguments: [String],
            in namespace: Namespace? = nil,
            environment: [String: String] = [:]
        ) async throws -> Outcome {
            try await run((namespace?.prefix ?? []) + [Repository.executable] + arguments, environment: environment)
        }

        /// The arguments, with a file that has nobody asked.
        private func askingNobody(_ arguments: [String], in folder: TemporaryFolder) throws -> [String] {
            arguments + ["--config.file", try folder.write("config.yml", ExporterProcess.quiet)]
        }

        @Test func `--version begins as the Prometheus programs do`() async throws {
            let outcome = try await exporter(["--version"])
            #expect(outcome.status == 0)
            #expect(outcome.output.hasPrefix("network-health-exporter, version "))
            #expect(outcome.output.contains("(branch: "))
        }

        @Test(arguments: [
            ["--help"], ["-h"], ["serve", "--help"], ["snapshot", "--help"], ["healthcheck", "--help"],
        ])
        func `help goes to stdout`(arguments: [String]) async throws {
            let outcome = try await exporter(arguments)
            #expect(outcome.status == 0)
            #expect(outcome.output.contains("USAGE: network-health-exporter"))
            #expect(outcome.errors.isEmpty)
        }

        @Test func `variables that nothing reads are warned of, and Kubernetes' own are not`() async throws {
            let environment = [
                "NHE_LOG_LEVL": "debug", "DEBUG_MODE": "yes", "NHE_SERVICE_HOST": "10.0.0.1",
                "NHE_SERVICE_PORT": "10319", "NHE_SERVICE_PORT_WEB": "10319", "NHE_PORT": "tcp://10.0.0.1:10319",
                "NHE_PORT_10319_TCP": "tcp://10.0.0.1:10319", "NHE_PORT_10319_TCP_ADDR": "10.0.0.1",
                "NHE_WEB_SERVICE_HOST": "10.0.0.1",
            ]
            let outcome = try await run([Repository.executable, "--config.check"], environment: environment)
            #expect(outcome.status == 0)
            let warnings = outcome.errors.split(separator: "\n").filter { $0.contains("level=warn") }
            #expect(warnings.count == 2, "\(outcome)")
            #expect(outcome.errors.contains("NHE_LOG_LEVL: unknown variable, did you mean NHE_LOG_LEVEL?"))
            #expect(outcome.errors.contains(#"DEBUG_MODE: expected 1 or 0, found \"yes\""#))
        }

        @Test func `DEBUG_MODE=1 is logged in plain words`() async throws {
            let folder = try TemporaryFolder()
            let arguments = try askingNobody(["--web.listen-address=127.0.0.1:0"], in: folder)
            let program = try Program(
                ["unshare", "-n", Repository.executable] + arguments,
                environment: ["DEBUG_MODE": "1"]
            )
            try await poll("the first state") { program.errors.contains("Offline: no route") ? true : nil }
            program.signal(SIGTERM)
            #expect(try await program.status() == 0)
            for word in ["sl-", "0x", "unknown context", "Logging.Logger", "(Function)", "NetworkHealth."] {
                #expect(!program.errors.contains(word), "\(word) in \(program.errors)")
            }
        }

        @Test func `the first line of snapshot is the state`() async throws {
            let folder = try TemporaryFolder()
            try await withNetwork { network in
                let arguments = try askingNobody(["snapshot"], in: folder)
                let online = try await exporter(arguments, in: network)
                #expect(online.status == 0)
                #expect(online.output.hasPrefix("Online via Ethernet\n  interface:     eth0\n"))
                #expect(online.output.contains("198.18.0.1 2001:2:0:1::1"))
                try await network.ip("link set eth0 down")
                let offline = try await exporter(arguments, in: network)
                #expect(offline.status == 0)
                #expect(offline.output.hasPrefix("Offline: no route\n"))
            }
        }

        @Test func `snapshot --json is JSON by jq's reading`() async throws {
            let folder = try TemporaryFolder()
            try await withNetwork { network in
                for arguments in [["snapshot", "--json"], ["snapshot", "--format", "json"]] {
                    let outcome = try await exporter(askingNobody(arguments, in: folder), in: network)
                    #expect(outcome.status == 0)
                    let read = try await output(
                        of: ["jq", "-r", "[.interfaceName, .online, .latency, (keys | length)] | @json"],
                        input: outcome.output
                    )
                    #expect(read == "[\"eth0\",true,null,27]\n")
                }
            }
        }

        @Test func `snapshot --format prometheus passes promtool`() async throws {
            let folder = try TemporaryFolder()
            try await withNetwork { network in
                let outcome = try await exporter(
                    askingNobody(["snapshot", "--format", "prometheus"], in: folder),
                    in: network
                )
                #expect(outcome.status == 0)
                for line in [
                    "connected 1", "quality_level 3", #"requirement_satisfied{requirement="largeDownload"} 0"#,
                ] {
                    #expect(outcome.output.contains("\nnetwork_health_\(line)\n"), "\(line)")
                }
                let check = try await run(
                    ["promtool", "check", "metrics"],
                    input: outcome.output,
                    within: .seconds(20)
                )
                #expect(check.status == 0 && check.output.isEmpty && check.errors.isEmpty, "\(check)")
            }
        }

        @Test func `snapshot probes the internet once`() async throws {
            let folder = try TemporaryFolder()
            try await withInternet { internet in
                let file = try folder.write("config.yml", FakeInternet.configuration())
                let arguments = ["snapshot", "--config.file", file]
                let online = try await exporter(arguments, in: internet.host)
                #expect(online.output.hasPrefix("Online via Ethernet\n"))
                #expect(online.output.contains("\n  internet:      online\n"))
                try await internet.cutUpstreamSilently()
                let start = ContinuousClock.now
                let offline = try await exporter(arguments, in: internet.host)
                #expect(offline.status == 0)
                #expect(offline.output.hasPrefix("Offline: no internet\n"))
                #expect(start.duration(to: .now) < .seconds(6))
            }
        }

        @Test(arguments: [SIGINT, SIGTERM]) func `watch prints a line a change and ends well`(signal: Int32)
            async throws
        {
            let folder = try TemporaryFolder()
            try await withNetwork { network in
                let arguments = try askingNobody(["watch", "--json"], in: folder)
                let watch = try Program(network.prefix + [Repository.executable] + arguments)
                try await poll("the first line") { watch.output.hasSuffix("\n") ? true : nil }
                try await network.ip("link set eth0 down")
                try await poll("the outage") { watch.output.contains("\"online\":false") ? true : nil }
                watch.signal(signal)
                #expect(try await watch.status() == 0)
                let states = try await output(
                    of: ["jq", "-s", "-c", "[first, last] | map([.online, .status])"],
                    input: watch.output
                )
                #expect(states == "[[true,\"connected\"],[false,\"disconnected\"]]\n")
            }
        }

        @Test func `healthcheck asks the running exporter`() async throws {
            var port = 0
            try await withNetwork { network in
                try await withExporter(in: network) { exporter in
                    port = exporter.port
                    try await exporter.waitUntilReady()
                    let url = ["--url", "http://127.0.0.1:\(port)"]
                    let healthy = try await self.exporter(["healthcheck"] + url, in: network)
                    #expect(healthy.status == 0 && healthy.output == "Healthy\n")
                    let twin = ["NHE_WEB_LISTEN_ADDRESS": "127.0.0.1:\(port)"]
                    #expect(try await self.exporter(["healthcheck"], in: network, environment: twin).status == 0)
                    let online = ["healthcheck", "--requirement", "online"] + url
                    #expect(try await self.exporter(online, in: network).output == "online\n")
                    let unknown = try await self.exporter(
                        ["healthcheck", "--requirement", "nonsense"] + url,
                        in: network
                    )
                    #expect(unknown.status == 1)
                    #expect(
                        unknown.output
                            == "unknown requirement \"nonsense\"; one of: online, unmetered, basicBrowsing, imageLoading, videoStreaming, largeDownload, largeUpload, custom&quality=\n"
                    )
                    try await network.ip("link set eth0 down")
                    try await poll("the outage") {
                        try await self.exporter(online, in: network).status == 1 ? true : nil
                    }
                    #expect(try await self.exporter(["healthcheck"] + url, in: network).status == 0)
                }
                let gone = try await exporter(["healthcheck", "--url", "http://127.0.0.1:\(port)"], in: network)
                #expect(gone.status == 1)
                #expect(gone.output.hasPrefix("127.0.0.1:\(port): Failed to connect to 127.0.0.1 port \(port)"))
            }
        }

        @Test func `check --quiet prints no answer, and its errors`() async throws {
            var url = ""
            try await withNetwork { network in
                try await withExporter(in: network) { exporter in
                    try await exporter.waitUntilReady()
                    url = "http://127.0.0.1:\(exporter.port)"
                    for (name, status) in [("online", Int32(0)), ("largeDownload", 1), ("nope", 2)] {
                        let quiet = try await self.exporter(["check", name, "--quiet", "--url", url], in: network)
                        #expect(quiet.status == status && quiet.output.isEmpty && quiet.errors.isEmpty, "\(quiet)")
                    }
                    let loud = try await self.exporter(["check", "online", "--url", url], in: network)
                    #expect(loud.output == "online\n")
                }
                let gone = try await exporter(["check", "online", "-q", "--url", url], in: network)
                #expect(gone.status == 3 && gone.output.isEmpty && gone.errors.contains("Failed to connect"))
                let both = try await exporter(["check", "online", "-q", "--json", "--url", url], in: network)
                #expect(both.status == 64)
            }
        }

        @Test func `healthcheck follows the route prefix of the environment`() async throws {
            try await withExporter(environment: ["NHE_WEB_EXTERNAL_URL": "https://example.com/net/"]) { exporter in
                let environment = [
                    "NHE_WEB_LISTEN_ADDRESS": "127.0.0.1:\(exporter.port)",
                    "NHE_WEB_EXTERNAL_URL": "https://example.com/net/",
                ]
                let outcome = try await self.exporter(["healthcheck"], environment: environment)
                #expect(outcome.status == 0, "\(outcome)")
                #expect(try await exporter.request("/-/healthy").status == 404)
            }
        }

        @Test func `report prints CSV with its line ends, and an error as a sentence`() async throws {
            try await withExporter { running in
                let url = "--url=http://127.0.0.1:\(running.port)"
                let csv = try await exporter(["report", url, "--format=csv"])
                #expect(csv.output.hasPrefix("section,name,at,value,unit,measurements\r\nperiod,length,"), "\(csv)")
                let wrong = try await exporter(["report", url, "--month=2026-13"])
                #expect(wrong.status == 64)
                #expect(
                    wrong.errors == """
                        Error: month: expected a month such as 2026-10, found "2026-13"
                        See 'network-health-exporter report --help'.

                        """
                )
            }
        }

        @Test func `--config.check reports whether a file is valid`() async throws {
            let folder = try TemporaryFolder()
            let good = try folder.write("good.yml", "path: { constrained: true }\n")
            let bad = try folder.write("bad.yml", "path:\n  settle:\n    quiet: fast\n")
            #expect(try await exporter(["--config.check", "--config.file", good]).status == 0)
            #expect(try await exporter(["--config.check"]).status == 0)
            let web = try folder.write("web.yml", "http_server_config: { http2: true }\n")
            let both = try await exporter(["--config.check", "--config.file", good, "--web.config.file", web])
            #expect(both.status == 0 && both.errors.contains("file=\(good) web=\(web)"), "\(both)")
            let refused = try await exporter(["--config.check", "--config.file", bad])
            #expect(refused.status == 1)
            #expect(refused.errors.contains("\(bad):3: path.settle.quiet: expected a duration such as 50ms"))
            #expect(try await exporter(["--config.check", "--config.file", "\(folder.path)/none.yml"]).status == 1)
        }

        @Test func `logs JSON where configured`() async throws {
            let folder = try TemporaryFolder()
            let arguments = ["--web.listen-address=127.0.0.1:0", "--log.format=json"]
            let program = try Program([Repository.executable] + askingNobody(arguments, in: folder))
            try await poll("the listener") { program.errors.contains("Listening on") ? true : nil }
            program.signal(SIGINT)
            #expect(try await program.status() == 0)
            let messages = try await output(of: ["jq", "-r", ".msg"], input: program.errors)
            #expect(messages.hasPrefix("Starting network-health-exporter\n") && messages.hasSuffix("\nStopped\n"))
            let served = try await output(of: ["jq", "-r", "select(.msg == \"Serving\").page"], input: program.errors)
            #expect(served.firstMatch(of: /^http:\/\/127\.0\.0\.1:[0-9]+\/\n$/) != nil, "\(served)")
        }
    }
}
