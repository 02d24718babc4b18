import Foundation
import Testing

extension EndToEndTests {
    /// The scripts and the queries of docs/recipes, as they are on their pages.
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

        @Test func `the share of the download that is used has a value for each of two servers`() async throws {
            let page = try Repository.text("docs/recipes/prometheus.md")
            let queries = page.matches(of: /```promql\n((?s:.*?))\n```/).map { String($0.1) }
            let query = try #require(queries.first { $0.contains("network_health_speedtest_download") })
            let speed = "network_health_speedtest_download_bytes_per_second"
            let labels = #"job="h",instance="a",host="a",uplink="eth0""#
            let received = #"node_network_receive_bytes_total{job="n",instance="a:9100",host="a",device="eth0"}"#
            let share = "round(\(query.replacing("\n", with: " ")), 0.01)"
            let lines = [
                "rule_files: []", "tests:", "  - interval: 15s", "    input_series:",
                "      - { series: '\(received)', values: '0+150x40' }",
                "      - { series: '\(speed){\(labels),server=\"s\"}', values: '100x40' }",
                "      - { series: '\(speed){\(labels),server=\"t\"}', values: '200x40' }",
                "    promql_expr_test:", "      - expr: '\(share)'", "        eval_time: 5m", "        exp_samples:",
                "          - { labels: '{\(labels),device=\"eth0\",server=\"s\"}', value: 0.1 }",
                "          - { labels: '{\(labels),device=\"eth0\",server=\"t\"}', value: 0.05 }", "",
            ]
            let folder = try TemporaryFolder()
            let file = try folder.write("share.test.yml", lines.joined(separator: "\n"))
            let outcome = try await run(["promtool", "test", "rules", file])
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        }
    }
}
