import Foundation
import Glibc
import Testing

extension EndToEndTests {
    /// What was, from the exporter's file, in three forms.
    @Suite(.timeLimit(.minutes(4))) struct History {
        private struct Transition: Decodable, Equatable {
            var at: String
            var online: Bool?
            var status, quality: String
            var interfaceName, unsatisfiedReason, outageCause, outageLocation: String?
            var outageSeconds: Double?
        }

        private static let path = "/api/v1/history"

        private func transitions(_ exporter: ExporterProcess, _ query: String = "") async throws -> [Transition] {
            let response = try await exporter.request("\(Self.path)?kind=transitions\(query)")
            #expect(response.status == 200 && response.headers["content-type"] == "application/json")
            return try JSONDecoder().decode([Transition].self, from: Data(response.body.utf8))
        }

        /// How many transitions a file has, by another program.
        private func stored(_ file: String) async throws -> Int {
            let script = """
                import sqlite3, sys
                rows = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
                print(rows.execute('SELECT count(*) FROM "transition"').fetchone()[0])
                """
            let text = try await output(of: ["python3", "-c", script, file])
            return try #require(Int(text.dropLast()))
        }

        /// What Prometheus reads back: lines such as `{__name__="network_health_online"} 1 1700000000000`.
        private func readBack(_ text: String, in folder: TemporaryFolder) async throws -> [String] {
            let file = try folder.write("history.txt", text)
            let blocks = "\(folder.path)/blocks-\(UUID().uuidString)"
            try await output(of: ["promtool", "tsdb", "create-blocks-from", "openmetrics", file, blocks])
            // The dump wants a database that was written to.
            try await output(of: ["mkdir", "-p", "\(blocks)/wal"])
            return try await output(of: ["promtool", "tsdb", "dump", blocks]).split(separator: "\n").map(String.init)
        }

        @Test func `a pulled cable is in the history, which a kill leaves whole and Prometheus reads back`()
            async throws
        {
            let folder = try TemporaryFolder()
            let flags = ["--storage.path=\(folder.path)/exporter.db"]
            try await withCable { host, router in
                let first = try await ExporterProcess(flags, in: host)
                try await first.waitUntilReady()
                try await poll("the connection") { try await transitions(first).last?.online == true ? true : nil }
                try await router.ip("link set eth0 down")
                try await poll("the outage") { try await transitions(first).last?.online == false ? true : nil }
                try await router.ip("link set eth0 up")
                let before = try await poll("the return") {
                    let rows = try await transitions(first)
                    return rows.last?.online == true && rows.contains { $0.online == false } ? rows : nil
                }
                #expect(before.allSatisfy { $0.interfaceName == "eth0" })
                let outage = before.filter { $0.online == false }
                #expect(outage.allSatisfy { $0.status == "disconnected" && $0.unsatisfiedReason == "link_down" })
                #expect(outage.allSatisfy { $0.outageCause == "link" && $0.outageSeconds == nil })
                let ended = try #require(before.last { $0.outageSeconds != nil })
                #expect(ended.online == true && ended.outageCause == "link" && ended.outageLocation == "link")
                let counted = try await first.sample(#"network_health_offline_seconds_total{cause="link"}"#)
                let seconds = try #require(counted.flatMap(Double.init))
                #expect(abs(try #require(ended.outageSeconds) - seconds) < 0.001, "the same outage in the counter")
                try await poll("the outage in the log") { first.log.contains("(cause: link)") ? true : nil }
                #expect(before.map(\.at) == before.map(\.at).sorted())
                // What is shown may still be on its way to the file, where another row may follow it.
                try await poll("the rows in the file") {
                    try await stored("\(folder.path)/exporter.db") >= before.count ? true : nil
                }
                first.program.signal(SIGKILL)
                _ = try await first.program.status()

                try await withExporter(flags, in: host) { exporter in
                    try await exporter.waitUntilReady()
                    let after = try await transitions(exporter)
                    #expect(Array(after.prefix(before.count)) == before)
                    let since = try await transitions(exporter, "&since=\(before[1].at)")
                    #expect(since.first == before[1])
                    #expect(try await transitions(exporter, "&since=2999-01-01T00:00:00Z").isEmpty)

                    let csv = try await exporter.request("\(Self.path)?kind=transitions&format=csv&since=90d")
                    #expect(csv.headers["content-type"] == "text/csv; charset=utf-8")
                    let lines = csv.body.split(separator: "\r\n")
                    #expect(
                        lines.first
                            == "at,online,status,unsatisfiedReason,internetState,interfaceName,connectionType,quality,outageCause,outageSeconds,outageLocation"
                    )
                    #expect(lines.dropFirst().map { $0.prefix { $0 != "," } }.starts(with: before.map { $0.at[...] }))

                    let text = try await exporter.request("\(Self.path)?kind=transitions&format=openmetrics")
                    #expect(text.headers["content-type"]?.hasPrefix("application/openmetrics-text") == true)
                    let samples = try await readBack(text.body, in: folder)
                    let online = samples.filter { $0.contains("network_health_online") }
                    #expect(online.contains { $0.contains("} 0 ") } && online.contains { $0.contains("} 1 ") })
                    #expect(samples.contains { $0.contains("network_health_connected") })

                    let refused = try await exporter.request("\(Self.path)?kind=nonsense")
                    #expect(
                        refused.status == 400
                            && refused.body.contains("transitions, outages, uplink_outages, gaps, speedtests, latency")
                    )
                }
            }
        }

        @Test func `a corrupt file is moved aside with a clear error, and the exporter starts`() async throws {
            let folder = try TemporaryFolder()
            let file = "\(folder.path)/exporter.db"
            let garbage =
                Data("SQLite format 3\0".utf8) + Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            try garbage.write(to: URL(filePath: file))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            try await withExporter(["--storage.path=\(file)"]) { exporter in
                try await exporter.waitUntilReady()
                #expect(try await exporter.request("\(Self.path)?kind=speedtests").body == "[]")
                let line = try #require(exporter.log.split(separator: "\n").first { $0.contains("level=error") })
                #expect(line.contains(file), "\(line)")
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            let aside = try #require(names.first { $0.hasPrefix("exporter.db.corrupt") }, "\(names)")
            #expect(try Data(contentsOf: URL(filePath: "\(folder.path)/\(aside)")) == garbage, "nothing of it is lost")
        }

        @Test(arguments: ["notes: this is no database\n", "x", String(repeating: "\0", count: 8192)])
        func `a file that is no database ends the start, and stays as it is`(content: String) async throws {
            let folder = try TemporaryFolder()
            let file = try folder.write("exporter.db", content)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            let configuration = try folder.write("config.yml", ExporterProcess.quiet)
            let program = try Program([
                "unshare", "-n", Repository.executable, "--web.listen-address=127.0.0.1:0",
                "--config.file=\(configuration)", "--storage.path=\(file)",
            ])
            #expect(try await program.status() == 1)
            #expect(program.errors.contains("\(file): open: is no database of this program: nothing was changed"))
            #expect(try Data(contentsOf: URL(filePath: file)) == Data(content.utf8))
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(Set(names) == ["exporter.db", "config.yml"])
        }

        @Test func `latency has a row a minute, and outlives the process`() async throws {
            let folder = try TemporaryFolder()
            let flags = ["--storage.path=\(folder.path)/exporter.db"]
            let configuration = """
                path: { viewpoint: host }
                internet: { enabled: false }
                targets: [{ name: here, module: icmp, address: 127.0.0.1, interval: 1s, counts_for_latency: true }]

                """
            let query = "\(Self.path)?kind=latency&format="
            try await withNetwork { host in
                let first = try await withExporter(flags, configuration: configuration, in: host) { exporter in
                    try await poll("a minute with two probes", within: .seconds(200)) {
                        try await Task.sleep(for: .seconds(1))  // a minute need not be asked for every 20 ms
                        let rows = try await exporter.request("\(query)csv").body.split(separator: "\r\n")
                        // The first one may have ended after one probe: then it has no jitter, the fourth field.
                        return rows.dropFirst().first { row in
                            row.split(separator: ",", omittingEmptySubsequences: false).dropFirst(3).first != ""
                        }
                    }
                }
                #expect(first.contains(/^[0-9-]+T[0-9:]+:00Z,[0-9.e-]+,[0-9.e-]+,[0-9.e-]+,0.0,60,1$/))
                try await withExporter(flags, configuration: configuration, in: host) { exporter in
                    let rows = try await exporter.request("\(query)csv").body.split(separator: "\r\n")
                    #expect(rows.dropFirst().contains(first))
                    let samples = try await readBack(try await exporter.request("\(query)openmetrics").body, in: folder)
                    for name in ["latency_seconds", "latency_p95_seconds", "jitter_seconds", "loss_ratio"] {
                        #expect(samples.contains { $0.contains("network_health_\(name)") }, "\(name)")
                    }
                }
            }
        }
    }
}
