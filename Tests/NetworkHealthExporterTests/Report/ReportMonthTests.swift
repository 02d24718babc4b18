import Foundation
import Lab
import Logging
import NetworkHealth
import Storage
import StrictYAML
import Testing

@testable import NetworkHealthExporter

@Suite(.timeLimit(.minutes(3))) struct ReportMonthTests {
    private static let script = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../EndToEndTests/Fixtures/report_figures.py").standardized.path

    @Test
    func `every figure of a simulated month is the one of an independent program, also after its minutes became hours`()
        async throws
    {
        let folder = try TemporaryFolder()
        let file = folder.file("exporter.db")
        let database = try Database(file: file, schema: .exporter)
        try await SimulatedMonth().write(to: database)
        let recorder = HistoryRecorder(database: database, logger: Logger(label: "test"))
        let now = SimulatedMonth.until + 86_400
        let period = try #require(ReportPeriod(since: SimulatedMonth.since, until: SimulatedMonth.until, now: now))
        let report = Report(
            try await recorder.rows(of: period),
            of: period,
            plans: SimulatedMonth.plans,
            clock: SimulatedMonth.clock
        )
        let json = JSONDocument.encode(ReportDocument(report))
        try folder.write("report.json", Data(json))
        let command = [
            "python3", Self.script, file, folder.file("report.json"), "\(SimulatedMonth.offset)", SimulatedMonth.plan,
        ]
        let printed = try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try Lab.run(command) }) }
        }
        #expect(printed.contains(" figures, 0 differ"), "\(printed)")

        #expect(Set(report.shortfalls.map(\.confirmation)).count == 3, "not each answer of a second test")
        #expect(Set(report.shortfalls.map(\.location)) == [.access, .destination, .unknown])
        #expect(report.tests.count == 124 && report.outages.count == 17 && report.uplinkOutages.count == 25)
        let says = report.findings.filter(\.concluded).map(\.says)
        #expect(says.contains { $0.hasPrefix("Download over eth0, evenings (20 to 23 h): slower by ") })
        #expect(says.contains { $0.hasPrefix("Upload over eth0, evenings (20 to 23 h): not slower") })
        #expect(says.contains { $0.hasPrefix("Latency, evenings (20 to 23 h): higher: ") })
        #expect(
            says.contains {
                $0.hasPrefix("From the first to the second router (ipv4): the delay follows the day by 2.9 ms (mild)")
            }
        )

        // Thinned on the way to the 13 months.
        let section = HistorySection(
            retention: DurationText.longest,
            perMinute: .seconds(3600),
            perHour: DurationText.longest
        )
        try await HistoryRetention(database: database).prune(section, at: now)
        let thinned = Report(
            try await recorder.rows(of: period),
            of: period,
            plans: SimulatedMonth.plans,
            clock: SimulatedMonth.clock
        )
        #expect(JSONDocument.encode(ReportDocument(thinned)) == json)
        // For a look at the page and the text.
        if let target = ProcessInfo.processInfo.environment["NHE_REPORT_FOLDER"] {
            for format in ReportFormat.allCases {
                try Data(format.print(report).bytes).write(to: URL(filePath: "\(target)/report.\(format.rawValue)"))
            }
        }
        await database.close()
    }
}
