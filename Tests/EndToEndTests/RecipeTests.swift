import Foundation
import Testing

extension EndToEndTests {
    /// The scripts of docs/recipes, as they are on their pages.
    @Suite(.timeLimit(.minutes(1))) struct Recipes {
        /// Runs `while-unmetered` with an exporter that answers these lines in turn, with 0 where a line is `unmetered`.
        ///
        /// With `waitsForStart` any other answer comes after the command has made the file `started` in `$FOLDER`.
        private func whileUnmetered(
            _ answers: [String],
            _ command: [String],
            waitsForStart: Bool = false
        ) async throws -> Outcome {
            let page = try Repository.text("docs/recipes/backups.md")
            let code = /```bash\n(#!\/bin\/bash\n# [^\n]*while-unmetered(?s:.*?))```/
            let script = try #require(page.firstMatch(of: code)).1
            let folder = try TemporaryFolder()
            let file = try folder.write("while-unmetered", String(script))
            try folder.write("answers", answers.joined(separator: "\n") + "\n")
            // Ends also when the test has removed the folder.
            let loop = "until [ -e started ] || [ ! -e answers ]; do /bin/sleep 0.01; done"
            let wait = waitsForStart ? #"[ "$answer" = unmetered ] || \#(loop)"# : ""
            // The first line, which is removed; the last one stays.
            let exporter = """
                #!/bin/bash
                cd '\(folder.path)'
                read -r answer <answers
                [ "$(wc -l <answers)" = 1 ] || sed -i 1d answers
                \(wait)
                echo "$answer"
                [ "$answer" = unmetered ]
                """
            for (name, text) in [("network-health-exporter", exporter), ("sleep", "#!/bin/sh\nexec /bin/sleep 0.1\n")] {
                let path = try folder.write(name, text)
                try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
            }
            let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
            let environment = ["PATH": "\(folder.path):\(path)", "FOLDER": folder.path]
            return try await run(["bash", file] + command, environment: environment)
        }

        @Test func `while-unmetered says a thing once, and the output is that of the command`() async throws {
            let loop = #"trap 'exit 9' INT; echo data; touch "$FOLDER/started"; while :; do /bin/sleep 0.05; done"#
            let answers = ["unmetered", "unmetered", "unmetered", "not satisfied: expensive"]
            let outcome = try await whileUnmetered(answers, ["bash", "-c", loop], waitsForStart: true)
            #expect(outcome.status == 75 && outcome.output == "data\n", "\(outcome)")
            #expect(outcome.errors == "unmetered\ninterrupted: not satisfied: expensive\n", "\(outcome)")
        }

        @Test func `while-unmetered has the status of a command that ends by itself`() async throws {
            let outcome = try await whileUnmetered(["unmetered"], ["bash", "-c", "/bin/sleep 0.3; exit 7"])
            #expect(outcome.status == 7 && outcome.output.isEmpty && outcome.errors == "unmetered\n", "\(outcome)")
            let refused = try await whileUnmetered(["not satisfied: expensive"], ["echo", "never"])
            #expect(refused.status == 75 && refused.output.isEmpty, "\(refused)")
        }
    }
}
