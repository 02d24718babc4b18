import StrictYAML
import Testing

@testable import NetworkHealthExporter

struct HostSectionTests {
    private static func read(_ url: String) throws -> String? {
        let yaml = "host: { url: \"\(url)\" }"
        return try Configuration.read(Array(yaml.utf8), file: "test.yml", environment: [:]).host.url
    }

    private static func flag(_ url: String) throws -> String? {
        try Settings.hostURL(url, Environment(variables: [:]))
    }

    @Test(arguments: ["http://192.0.2.1:10319", "https://node.example.com/network/"])
    func `the exporter of the host may be below a prefix`(url: String) throws {
        #expect(try Self.read(url) == url)
        #expect(try Self.flag(url) == url)
    }

    @Test(arguments: ["http://192.0.2.1:10319/?a", "http://192.0.2.1:10319/#a"])
    func `no path can be put behind a query or a fragment`(url: String) throws {
        let error = try #require(throws: YAMLErrors.self) { try Self.read(url) }
        #expect("\(error)" == "test.yml:1: host.url: expected a URL without a query and a fragment")
        #expect(throws: UsageError.self) { try Self.flag(url) }
    }
}
