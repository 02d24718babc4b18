import Foundation
import Lab
import Testing

extension EndToEndTests {
    /// A file with 13 months of history.
    @Suite(.timeLimit(.minutes(2))) struct HistoryYear {
        /// Fills a file: hours, a week of minutes, a test each six hours, an outage each second day.
        private static let fill = """
            import random, sqlite3, sys, time
            rows = sqlite3.connect(sys.argv[1])
            now = int(sys.argv[2])
            random.seed(1)
            for hour in range(9500, 0, -1):
                at = now - hour * 3600
                p50 = 0.01 + random.random() / 1000
                if hour > 168:
                    rows.execute("INSERT INTO latency VALUES (?, ?, ?, 0.001, 0.001, 60)", (at, p50, p50 * 2))
                else:
                    for minute in range(60):
                        value = p50 + random.random() / 1000
                        rows.execute("INSERT INTO latency VALUES (?, ?, ?, 0.001, 0, NULL)", (at + minute * 60, value, value * 2))
                rows.execute("INSERT INTO uptime VALUES (?, 'monitored', 3600)", (at // 3600,))
                if hour % 48 == 0:
                    rows.execute("INSERT INTO uptime VALUES (?, 'no_internet', 90.5)", (at // 3600,))
                    rows.execute(
                        \"\"\"INSERT INTO "transition" (at, online, status, type, quality, outage_cause, outage_seconds)
                        VALUES (?, 1, 'connected', 'ethernet', 'good', 'no_internet', 90.5)\"\"\", (at + 1000,))
                # At 2, 8, 14 and 20 h, whatever the time of now.
                if at // 3600 % 6 == 2:
                    speed = 100 - 50 * (20 <= at // 3600 % 24 < 23) + round(random.random(), 2)
                    part = '{"speedMbps":%s,"bytesTransferred":1000,"durationSeconds":5,"limitedBy":[],"exceedsDevice":false}' % speed
                    document = '{"server":"home","protocol":"speedlab","host":"h","startedAt":"%s","durationSeconds":12,"download":%s,"upload":null}'
                    text = document % (time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at)), part)
                    rows.execute(
                        \"\"\"INSERT INTO speedtest (started_at, server, uplink, latency_only, received, transmitted, document)
                        VALUES (?, 'home', 'eth0 198.18.0.254', 0, 1000, 10, ?)\"\"\", (at, text))
            rows.commit()
            """

        @Test
        func
            `a year of latency and a report of it take a second and 20 MB, an independent program finds the same figures, and the page prints on two sheets`()
            async throws
        {
            let folder = try TemporaryFolder()
            let file = folder.file("exporter.db")
            // The rows end with the last full hour: what this exporter itself adds is not in the report.
            let end = Int(Date.now.timeIntervalSince1970) / 3600 * 3600
            let flags = ["--storage.path=\(file)"]
            try await withExporter(flags) { try await $0.waitUntilReady() }
            try await output(of: ["python3", "-c", Self.fill, file, "\(end)"])
            try await withExporter(flags) { exporter in
                try await exporter.waitUntilReady()
                var size: String?
                while size == nil { size = try await exporter.sample("network_health_history_bytes") }
                #expect((1_000_000..<10_000_000).contains(size.flatMap(Double.init) ?? 0))
                let before = try ResidentMemory(of: exporter.program.identifier).anonymous
                let stopwatch = ContinuousClock.now
                let latency = try await exporter.request("/api/v1/history?kind=latency&since=365d")
                let seconds = stopwatch.duration(to: .now) / .seconds(1)
                #expect(latency.body.split(separator: "}").count > 8592 + 10_000)
                let period = [end - 390 * 86_400, end].map {
                    Date(timeIntervalSince1970: Double($0)).formatted(.iso8601)
                }
                let query = "since=\(period[0])&until=\(period[1])&format=json"
                let report = try await exporter.request("/api/v1/report?\(query)")
                #expect(report.status == 200)
                let memory = try ResidentMemory(of: exporter.program.identifier)
                #expect(memory.anonymous - before < 20_000, "\(before) \(memory)")
                print("a year of latency: \(seconds) s, \(latency.body.utf8.count) bytes, memory \(before) \(memory)")

                try folder.write("report.json", report.body)
                let script = "\(Repository.tests)/Fixtures/report_figures.py"
                let figures = try await output(of: ["python3", script, file, folder.file("report.json"), "0"])
                #expect(figures.contains(" figures, 0 differ"))

                let url = "--url=http://127.0.0.1:\(exporter.port)"
                let text = try await output(of: [Repository.executable, "report", url, "--since=60d", "--format=text"])
                #expect(text.contains("* Download over eth0, evenings (20 to 23 h): slower by"), "\(text)")
                let page = try await exporter.request("/api/v1/report")
                #expect(page.headers["content-type"] == "text/html; charset=utf-8" && page.body.contains("</html>"))
                #expect(page.headers["content-security-policy"]?.hasPrefix("default-src 'none'") == true)
                // With 124 tests and 15 outages.
                let (html, pdf) = (try folder.write("report.html", page.body), folder.file("report.pdf"))
                let chromium = ["/usr/bin/chromium-headless-shell", "--no-sandbox", "--no-pdf-header-footer"]
                try await output(of: chromium + ["--print-to-pdf=\(pdf)", "file://\(html)"], within: .seconds(90))
                let printed = String(decoding: try Data(contentsOf: URL(filePath: pdf)), as: UTF8.self)
                #expect(printed.matches(of: /\/Type \/Page\b/).count == 2, "sheets")
            }
        }
    }
}
