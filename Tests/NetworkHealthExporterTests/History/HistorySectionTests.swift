import StrictYAML
import Testing

@testable import NetworkHealthExporter

struct HistorySectionTests {
    private func read(_ yaml: String) throws -> HistorySection {
        try Configuration.read(Array(yaml.utf8), file: "test.yml", environment: [:]).history
    }

    @Test func `90 days are the default, and what is printed reads the same`() throws {
        #expect(try read("") == HistorySection())
        #expect(HistorySection().yaml == "history:\n  retention: 90d\n")
        let section = try read("history: { retention: 1h30m }")
        #expect(section.retention == .seconds(5400))
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
