import Lab
import Testing

extension EndToEndTests {
    @Suite(.timeLimit(.minutes(5))) struct Endurance {
        /// What a process holds.
        struct Holding {
            var descriptors: Int
            var memory: ResidentMemory

            init(of process: Int32) async throws {
                descriptors = try await output(of: ["ls", "/proc/\(process)/fd"]).split(separator: "\n").count
                memory = try ResidentMemory(of: process)
            }
        }

        @Test(arguments: [[], ["--compressed"], ["-H", "Connection: close"]])
        func `10,000 scrapes leave descriptors and memory flat`(options: [String]) async throws {
            try await withExporter { exporter in
                try await exporter.waitUntilReady()
                try await scrape(exporter, 1000, options)
                let before = try await Holding(of: exporter.program.identifier)
                try await scrape(exporter, 10_000, options)
                // The server closes a connection after the client does: also before, it may have had one more.
                let after = try await poll("the last connection to close") {
                    let after = try await Holding(of: exporter.program.identifier)
                    return after.descriptors <= before.descriptors ? after : nil
                }
                // 100 bytes of each scrape would be 1 MB; what the start needed may be given back meanwhile.
                #expect(after.memory.anonymous < before.memory.anonymous + 900, "\(before) → \(after)")
            }
        }

        /// Scrapes by one curl, which keeps its connection where it may.
        private func scrape(_ exporter: ExporterProcess, _ count: Int, _ options: [String]) async throws {
            let url = "http://127.0.0.1:\(exporter.port)/metrics?scrape=[1-\(count)]"
            let codes = try await output(
                of: ["curl", "-sS", "--noproxy", "*", "-o", "/dev/null", "-w", "%{http_code}\\n"] + options + [url],
                within: .seconds(120)
            )
            let answers = codes.split(separator: "\n")
            #expect(answers.count == count && answers.allSatisfy { $0 == "200" })
        }
    }
}
