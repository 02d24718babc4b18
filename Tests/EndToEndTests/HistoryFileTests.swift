import Foundation
import Glibc
import Lab
import Testing

extension EndToEndTests {
    /// The history as one file.
    @Suite(.timeLimit(.minutes(2))) struct HistoryFile {
        /// Fills a file: 120 days of minutes, and a request that waits.
        private static let fill = """
            import sqlite3, sys
            rows = sqlite3.connect(sys.argv[1])
            rows.executemany("INSERT INTO latency VALUES (?, 0.01, 0.02, 0.001, 0, NULL)", ((1700000000 + 60 * n,) for n in range(172800)))
            rows.execute("INSERT INTO queue_delivered VALUES ('key', 'hidden-word', 1)")
            rows.commit()
            """

        private static func count(_ file: String) async throws -> String {
            let script =
                "import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).execute('SELECT count(*), sum(at) FROM latency').fetchone())"
            return try await output(of: ["python3", "-c", script, file])
        }

        @Test func `a backup while the exporter runs is whole, and so is an import that is killed and tried again`()
            async throws
        {
            let folder = try TemporaryFolder()
            let (file, copy, target) = (folder.file("exporter.db"), folder.file("copy.db"), folder.file("new.db"))
            func command(_ verb: String, _ storage: String) -> [String] {
                [Repository.executable, "history", verb, copy, "--storage.path=\(storage)"]
            }
            let flags = ["--storage.path=\(file)"]
            try await withExporter(flags) { try await $0.waitUntilReady() }
            try await output(of: ["python3", "-c", Self.fill, file])
            let expected = try await Self.count(file)
            try await withExporter(flags) { exporter in
                try await exporter.waitUntilReady()
                try await output(of: command("export", file))
                #expect(exporter.program.isRunning)
                #expect(try await run(command("export", file)).status == 1, "it exists")
            }
            #expect(try await Self.count(copy) == expected)
            #expect(try Data(contentsOf: URL(filePath: copy)).range(of: Data("hidden-word".utf8)) == nil)
            let bytes = try Data(contentsOf: URL(filePath: copy))

            func remove() {
                for suffix in ["", ".lock", ".new"] { try? FileManager.default.removeItem(atPath: target + suffix) }
            }
            // Kills at 14 instants of the time that a whole one takes here.
            let begin = ContinuousClock.now
            try await output(of: command("import", target))
            let whole = begin.duration(to: .now) / .microseconds(1)
            remove()
            var (killed, done) = (0, 0)
            for instant in 0..<14 {
                let program = try Program(command("import", target))
                usleep(UInt32(min(whole, 2e6) * Double(instant) / 14))  // the instant is what is tested
                program.signal(SIGKILL)
                killed += try await program.status() == -SIGKILL ? 1 : 0
                let size = (try? FileManager.default.attributesOfItem(atPath: target)[.size] as? Int) ?? 0
                guard size > 0 else { continue }
                done += 1
                #expect(try await Self.count(target) == expected)
                remove()
            }
            print("imports killed: \(killed), done: \(done)")
            #expect(killed > 3)
            #expect(try Data(contentsOf: URL(filePath: copy)) == bytes, "the file stays as it is")
            try? FileManager.default.removeItem(atPath: target)
            try await output(of: command("import", target))
            #expect(try await run(command("import", target)).status == 1, "it holds a history")
            try await withExporter(["--storage.path=\(target)"]) { exporter in
                try await exporter.waitUntilReady()
                let history = try await exporter.request("/api/v1/history?kind=latency&since=2023-11-14T00:00:00Z")
                #expect(history.body.split(separator: "}").count > 172_000)
            }
        }
    }
}
