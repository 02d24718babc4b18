import Glibc
import Testing

extension EndToEndTests {
    @Suite(.timeLimit(.minutes(1))) struct Reload {
        private static let successful = "network_health_exporter_config_last_reload_successful"
        private static let timestamp = "network_health_exporter_config_last_reload_success_timestamp_seconds"

        /// How a running exporter is made to read its file again.
        enum Way: CaseIterable {
            case signal, request, automatic

            var flags: [String] {
                switch self {
                case .signal: []
                case .request: ["--web.enable-lifecycle"]
                case .automatic: ["--config.enable-auto-reload", "--config.auto-reload-interval=20ms"]
                }
            }
        }

        /// Writes a file in one step: one that has no content yet would be read, too.
        private func replace(_ name: String, in folder: TemporaryFolder, _ text: String) throws {
            try #require(rename(try folder.write("next", text), folder.file(name)) == 0)
        }

        private func trigger(_ way: Way, _ exporter: ExporterProcess, answers status: Int) async throws {
            switch way {
            case .signal: exporter.program.signal(SIGHUP)
            case .request: #expect(try await exporter.request("/-/reload", method: "POST").status == status)
            case .automatic: break
            }
        }

        private func waitForConstrained(_ expected: Bool, _ exporter: ExporterProcess) async throws {
            try await poll("isConstrained \(expected) in the snapshot") {
                try await exporter.request("/api/v1/snapshot").body.contains("\"isConstrained\":\(expected)")
                    ? true : nil
            }
        }

        private func waitForSuccess(_ expected: String, _ exporter: ExporterProcess) async throws {
            try await poll("\(Self.successful) \(expected)") {
                try await exporter.sample(Self.successful) == expected ? true : nil
            }
        }

        @Test(arguments: Way.allCases) func `applies a good file, refuses a bad one, and heals`(way: Way) async throws {
            let folder = try TemporaryFolder()
            let file = try folder.write("exporter.yml", "path: { viewpoint: host, constrained: false }\n")
            try await withNetwork { network in
                try await withExporter(["--config.file=\(file)"] + way.flags, in: network) { exporter in
                    try await waitForConstrained(false, exporter)
                    #expect(try await exporter.sample(Self.successful) == "1")

                    try replace("exporter.yml", in: folder, "path: { viewpoint: host, constrained: true }\n")
                    try await trigger(way, exporter, answers: 200)
                    try await waitForConstrained(true, exporter)
                    #expect(try await exporter.sample("network_health_constrained") == "1")
                    #expect(
                        try await exporter.sample(#"network_health_path_changes_total{field="constrained"}"#) == "1"
                    )
                    #expect(try await exporter.request("/config").body.contains("  constrained: true\n"))

                    let before = try await exporter.sample(Self.timestamp)
                    try replace("exporter.yml", in: folder, "path:\n  constrained: maybe\n")
                    try await trigger(way, exporter, answers: 500)
                    try await waitForSuccess("0", exporter)
                    #expect(try await exporter.sample(Self.timestamp) == before)
                    #expect(try await exporter.sample("network_health_constrained") == "1")
                    try await poll("the reason in the log") {
                        exporter.log.contains("\(file):2: path.constrained: expected true or false") ? true : nil
                    }

                    try replace("exporter.yml", in: folder, "path: { viewpoint: host, constrained: false }\n")
                    try await trigger(way, exporter, answers: 200)
                    try await waitForConstrained(false, exporter)
                    try await waitForSuccess("1", exporter)
                }
            }
        }

        @Test func `a file that is emptied or gone is mentioned once, and changes nothing`() async throws {
            let folder = try TemporaryFolder()
            let good =
                ExporterProcess.quiet + "targets: [{ name: a, module: icmp, address: 127.0.0.1 }]\n"
            let file = try folder.write("exporter.yml", good)
            let up = #"network_health_target_info{target="a""#
            try await withNamespace { network in
                try await withExporter(["--config.file=\(file)"] + Way.automatic.flags, in: network) { exporter in
                    for isGone in [false, true] {
                        if isGone {
                            #expect(unlink(file) == 0)
                        } else {
                            try replace("exporter.yml", in: folder, "# nothing\n")
                        }
                        try await waitForSuccess("0", exporter)
                        try await poll("a scrape after more looks at it") {
                            try await exporter.request("/metrics").body.contains(up) ? true : nil
                        }
                        #expect(try await exporter.request("/config").body.contains("enabled: false\n"))
                        try replace("exporter.yml", in: folder, good)
                        try await waitForSuccess("1", exporter)
                    }
                    let refusals = exporter.log.split(separator: "\n").filter { $0.contains("refused") }
                    #expect(refusals.count == 2, "\(exporter.log)")
                    #expect(!exporter.log.contains("Contacting these hosts"))
                }
            }
        }

        @Test func `a rule of the new file decides for its device`() async throws {
            let folder = try TemporaryFolder()
            let file = try folder.write("exporter.yml", "")
            try await withNetwork { network in
                try await withExporter(["--config.file=\(file)"], in: network) { exporter in
                    try await exporter.waitUntilReady()
                    // The lab's cable is that of a container.
                    #expect(try await exporter.sample("network_health_expensive") == nil)
                    try folder.write(
                        "exporter.yml",
                        "path: { viewpoint: host, rules: [{ interface: \"eth*\", expensive: true }] }\n"
                    )
                    exporter.program.signal(SIGHUP)
                    try await poll("the rule") {
                        try await exporter.sample("network_health_expensive") == "1" ? true : nil
                    }
                    #expect(try await exporter.sample(#"network_health_expensive_source_info{source="rule"}"#) == "1")
                }
            }
        }

        @Test func `over HTTP it is off without the flag`() async throws {
            try await withExporter { exporter in
                let response = try await exporter.request("/-/reload", method: "POST")
                #expect(response.status == 403)
                #expect(response.body == "Reloading over HTTP is off: start with --web.enable-lifecycle\n")
                let wrong = try await exporter.request("/-/reload")
                #expect(wrong.status == 405)
                #expect(wrong.headers["allow"] == "POST, PUT")
            }
        }

        @Test func `over HTTP it is refused to a page of another site`() async throws {
            try await withExporter(["--web.enable-lifecycle"]) { exporter in
                for field in ["Origin: http://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site"] {
                    let foreign = try await exporter.request("/-/reload", method: "POST", headers: [field])
                    #expect(foreign.status == 403)
                }
                let own = "Origin: http://127.0.0.1:\(exporter.port)"
                #expect(try await exporter.request("/-/reload", method: "POST", headers: [own]).status == 200)
                #expect(try await exporter.request("/-/reload", method: "PUT").status == 200)
            }
        }
    }
}
