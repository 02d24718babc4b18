import Foundation
import Testing

extension EndToEndTests {
    /// `Benchmarks/`: what is run on demand only still has to be readable, and the table that it writes right.
    @Suite(.timeLimit(.minutes(1))) struct Benchmarks {
        private static let folder = "\(Repository.root)/Benchmarks"

        private static let programs: [String] = {
            let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            let isProgram = { (file: String) in
                file.hasSuffix(".py") || FileManager.default.isExecutableFile(atPath: "\(folder)/\(file)")
            }
            return files.filter { !$0.hasPrefix("__") && isProgram($0) }.sorted()
        }()

        @Test func `has programs`() {
            #expect(Self.programs.contains("bench.py") && Self.programs.contains("truth") && Self.programs.count > 10)
        }

        @Test(arguments: programs)
        func `each program can be read by its interpreter`(program: String) async throws {
            let path = "\(Self.folder)/\(program)"
            let isShell = try Repository.text("Benchmarks/\(program)").hasPrefix("#!/usr/bin/env bash")
            let compile = "import sys; compile(open(sys.argv[1]).read(), sys.argv[1], 'exec')"
            try await output(of: isShell ? ["bash", "-n", path] : ["python3", "-c", compile, path])
        }

        @Test func `the table on the page is as its script writes it`() async throws {
            let page = try Repository.text("Benchmarks/results.md")
            #expect(try await table(rows: "", before: page) == page)
        }

        @Test func `a row that was measured is held or not, and the others keep their lines`() async throws {
            let page = try Repository.text("Benchmarks/results.md")
            let rows = "fleet\t99.95 % of 12000\t–\t99.95\t3 %, 0 %\nidle-cpu\t4 ms/s\t5 ms/s\t0.8\t3 %, 0 %\n"
            let before = page.split(separator: "\n")
            let after = try await table(rows: rows, before: page).split(separator: "\n")
            try #require(after.count == before.count)
            let changed = zip(before, after).filter { $0 != $1 }.map(\.1)
            try #require(changed.count == 2)
            #expect(
                changed[0].contains(
                    "| 4 ms/s | smokeping_prober, 2 targets: 5 ms/s | 0.80 × | ≤ 0.5 × | **not held** |"
                )
            )
            #expect(changed[1].contains("| 99.95 % of 12000 | – | 99.95 % | ≥ 99.9 % | held |"))
        }

        /// What the script writes for these rows, where the page was `before`.
        private func table(rows: String, before: String) async throws -> String {
            let folder = try TemporaryFolder()
            let file = try folder.write("rows", rows)
            let page = try folder.write("results.md", before)
            try await output(of: ["\(Self.folder)/table", file, page])
            return String(decoding: try Data(contentsOf: URL(fileURLWithPath: page)), as: UTF8.self)
        }
    }
}
