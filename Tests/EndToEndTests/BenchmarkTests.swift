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

        @Test func `the truth of a link is what came out of it, each byte once`() async throws {
            let folder = try TemporaryFolder()
            // As the relay writes it: what was dropped before what entered earlier and leaves later. The client resets at 3 s.
            let log = try folder.write(
                "packets",
                """
                500000000 b 300 6 1000000 40001 1 200 24
                600000000 a 300 6 1000000 40001 1 200 24
                1100000000 b 60000 6 drop 40000 60000 60000 16
                1000000000 b 60000 6 500000000 40000 0 60000 16
                1200000000 b 60000 6 500000000 40000 120000 60000 16
                2000000000 b 60000 6 500000000 40000 60000 60000 16
                2100000000 b 60000 6 500000000 40000 120000 60000 16
                3000000000 a 52 6 1000000 40000 9 0 4

                """
            )
            let program = """
                import sys
                sys.path.insert(0, sys.argv[1])
                import truth_log
                down, up, held = truth_log.read(sys.argv[2], is_websocket=False)
                print(down.segments, down.dropped, down.repeated, down.count, up.count, down.end, round(held, 6))
                print([round(rate, 3) for rate in (down.rate(1.4, 2.4), down.rate(1.6, 2.6), down.rate(0, 3))])

                """
            let printed = try await output(of: ["python3", "-B", "-c", program, Self.folder, log])
            #expect(printed == "6 1 1 1 0 3.0 0.002\n[0.96, 0.96, 0.48]\n")
        }

        @Test func `the summary of rates counts what is marked, and what is off without a mark`() async throws {
            let folder = try TemporaryFolder()
            func row(_ measured: String, _ isStable: String, _ limits: String = "", uncertainty: String = "0.005")
                -> String
            {
                "1,20,20,20,100,cubic,speedlab,ours,0.0,False,download,\(measured),20,20,\(uncertainty),\(isStable),\(limits),,9,1,30,"
            }
            let rows = try folder.write(
                "rows.csv",
                """
                number,down,up,rtt,buffer,sender,protocol,server,loss,load,direction,measured,truth,line,uncertainty,stable,limits,error,\
                moved_down,moved_up,duration,held
                \(row("20.05", "True"))
                \(row("20.25", "True"))
                \(row("21.00", "False"))
                \(row("15.00", "True", "cpu", uncertainty: ""))
                \(row("", "", uncertainty: ""))

                """
            )
            let printed = try await output(of: ["python3", "-B", "\(Self.folder)/truth_table.py", rows])
            let lines = Set(printed.split(separator: "\n").map(String.init))
            #expect(lines.contains("| beside what the link carried | 100.0 % of 2 | 50.0 % of 2 | 1.25 % |"))
            #expect(
                lines.contains("| marked | 50.0 % of 4 |")
                    && lines.contains("| truth inside the interval | 33.3 % of 3 |")
            )
            #expect(lines.contains("| directions without a value | 1 of 5 |"), "\(printed)")
            #expect(printed.contains("(+1.25 %; of the line +1.25 %)"))
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

    /// A fixed part of the lab of `Benchmarks/where`.
    @Suite(.timeLimit(.minutes(2))) struct FourFaults {
        @Test func `have their places, and the third alone is the provider's`() async throws {
            let environment = ["env", "NHE_EXECUTABLE=\(Repository.executable)", "PYTHONDONTWRITEBYTECODE=1"]
            let command = environment + ["\(Repository.root)/Benchmarks/four"]
            let rows = try await output(of: command, within: .seconds(110)).split(separator: "\n")
            #expect(rows.count { $0.hasSuffix(": access |") } >= 4, "\(rows)")
            #expect(rows.count { $0.hasSuffix(": provider |") } == 2, "\(rows)")
        }
    }
}
