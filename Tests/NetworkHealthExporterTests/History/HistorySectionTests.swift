import StrictYAML
import Testing

@testable import NetworkHealthExporter

struct HistorySectionTests {
    private func read(_ yaml: String) throws -> HistorySection {
        try Configuration.read(Array(yaml.utf8), file: "test.yml", environment: [:]).history
    }

    @Test func `13 months are the default, a week of it by the minute, and what is printed reads the same`() throws {
        #expect(try read("") == HistorySection())
        #expect(HistorySection().yaml == "history:\n  retention: 400d\n  per_minute: 1w\n  per_hour: 400d\n")
        let section = try read("history: { retention: 1h30m, per_minute: 1d, per_hour: 90d }")
        #expect(section.retention == .seconds(5400))
        #expect(section.perMinute == .seconds(86_400) && section.perHour == .seconds(90 * 86_400))
        #expect(try read(section.yaml) == section)
        #expect(try read("history: { retention: 36500d }").retention == DurationText.longest)
    }

    @Test(arguments: ["59m", "36501d", "0", "-1d", "forever"])
    func `an error has the file, the line, the key and what was expected`(text: String) throws {
        let error = try #require(throws: YAMLErrors.self) { try read("history: { retention: \(text) }") }
        #expect(
            error.description
                == "test.yml:1: history.retention: \(ConfigurationErrorTests.duration) from 1h to 36500d, found \"\(text)\""
        )
    }
}
