import Foundation
import PrometheusExposition
import SpeedTestCore
import Testing

@testable import NetworkHealthExporter

/// `docs/command-line.md`, `docs/http-api.md` and `docs/metrics.md`, against the flags, the paths and the families of the
/// code.
struct ReferencePagesTests {
    private static func page(_ name: String) throws -> String {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/\(name).md")
        return try String(contentsOf: file.standardized, encoding: .utf8)
    }

    @Test(arguments: FlagName.allCases)
    func `every flag has its row`(flag: FlagName) throws {
        let rows = try Self.page("command-line").split(separator: "\n").filter { $0.hasPrefix("| `") }
        // A flag of the commands that ask an exporter is in the row of each of them.
        let isClients = FlagName.ofClients.contains(flag)
        #expect(rows.contains { $0.contains(isClients ? "[\(flag) " : "`\(flag)`") })
    }

    @Test func `every flag of the page exists`() throws {
        let flags = Set(FlagName.allCases.map(\.description))
        let named = try Self.page("command-line").matches(of: /--[a-z]+\.[a-z.-]+[a-z]/).map { String($0.0) }
        #expect(named.count > 20)
        #expect(Set(named).subtracting(flags) == [])
    }

    @Test func `every path of the API has its row`() throws {
        let document = try JSONSerialization.jsonObject(with: Data(OpenAPIDocument.text(Settings()).utf8))
        let paths = try #require((document as? [String: Any])?["paths"] as? [String: Any]).keys
        let rows = try Self.page("http-api").split(separator: "\n").filter { $0.hasPrefix("| `") }
        let known = Set(rows.flatMap { $0.matches(of: /[` ](\/[^`? \[]*)[`?\[]/).map { String($0.1) } })
        #expect(paths.count > 12)
        #expect(Set(paths).subtracting(known) == [])
    }

    @Test func `the rows that a container has of its host's speed tests are those of the code`() throws {
        let rows = try Self.page("metrics").split(separator: "\n")
            .filter { $0.hasPrefix("| `network_health_speedtest_") }
        let first = try #require(rows.first)
        #expect(first.contains("these and the next six rows are those of the host"))
        #expect(first.contains("uplink = its name in [`uplinks`]"))
        let named = rows.prefix(1 + 6).flatMap { row in
            row.dropFirst().prefix { $0 != "|" }.matches(of: /`(\w+)`/).map { String($0.1) }
        }
        let families = SpeedTestMetrics.measured(SpeedTestResults([.good()]).servers).map(\.name)
        #expect(named.sorted() == families.sorted())
    }
}
