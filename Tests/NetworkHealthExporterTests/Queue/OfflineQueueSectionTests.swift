import Testing

@testable import NetworkHealthExporter

struct OfflineQueueSectionTests {
    private func read(_ allowed: String) throws -> Configuration {
        let yaml = "offline_queue: { allowed_hosts: [{ host: api.test, \(allowed) }] }"
        return try Configuration.read(Array(yaml.utf8), file: "test.yml", environment: [:])
    }

    @Test func `schemes and paths are read, and printed again`() throws {
        let configuration = try read("schemes: [http, https], paths: [/v1/, /v2]")
        let text = configuration.yaml
        #expect(text.contains("schemes") && text.contains("/v1/") && text.contains("/v2"), "\(text)")
        let again = try Configuration.read(Array(text.utf8), file: "again.yml", environment: [:])
        #expect(again.offlineQueue == configuration.offlineQueue)
        #expect(try read("ports: [1]").offlineQueue != configuration.offlineQueue)
    }

    @Test(arguments: [
        ("schemes: []", "expected at least one of https, http, found an empty list"),
        ("schemes: [ftp]", "one of https, http"),
        ("schemes: [HTTP]", "one of https, http"), ("paths: [v1/]", "a path such as /v1/"),
        ("paths: [\"\"]", "a path such as /v1/"), ("paths: [/v1/../x]", "a path such as /v1/"),
        ("paths: [/v1//x]", "a path such as /v1/"), ("paths: [\"/v1?x\"]", "a path such as /v1/"),
        ("paths: [\"/v1#x\"]", "a path such as /v1/"), ("paths: [/%2e/]", "a path such as /v1/"),
    ])
    func `a mistake names its key and what was expected`(yaml: String, message: String) {
        let error = #expect(throws: (any Error).self) { try read(yaml) }
        let text = error.map { "\($0)" } ?? ""
        #expect(text.contains("allowed_hosts") && text.contains(message), "\(text)")
    }
}
