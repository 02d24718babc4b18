import Foundation
import StrictYAML
import Testing

@testable import NetworkHealthExporter

/// The page of the manual, against what the readers take.
struct ConfigurationReferenceTests {
    private static let page =
        try? String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../docs/configuration.md").standardized,
            encoding: .utf8
        )

    /// Each mapping of the file with a key that nobody knows, to which the readers answer with those that they know.
    private static let mappings = [
        "": "KEY: 1", "path": "path: { KEY: 1 }", "anchors": "path: { anchors: { KEY: 1 } }",
        "settle": "path: { settle: { KEY: 1 } }", "speedtest_server": "speedtest_server: { KEY: 1 }",
        "rules[]": "path: { rules: [{ interface: a, expensive: true, KEY: 1 }] }",
        "internet": "internet: { KEY: 1 }",
        "probes[]": "internet: { probes: [{ name: a, url: \"http://b/\", expect: { status: 200 }, KEY: 1 }] }",
        "probes[].expect":
            "internet: { probes: [{ name: a, url: \"http://b/\", expect: { status: 200, KEY: 1 } }] }",
        "requirements[]": "requirements: { a: { KEY: 1 } }", "health": "health: { KEY: 1 }",
        "history": "history: { KEY: 1 }",
        "speedtest": "speedtest: { KEY: 1 }",
        "schedule": "speedtest: { schedule: { KEY: 1 } }",
        "duration": "speedtest: { duration: { KEY: 1 } }",
        "budget": "speedtest: { budget: { KEY: 1 } }",
        "servers[]": "speedtest: { servers: [{ name: a, protocol: speedlab, url: \"http://b/\", KEY: 1 }] }",
        "icmp": "targets: [{ name: a, module: icmp, address: b, KEY: 1 }]",
        "tcp": "targets: [{ name: a, module: tcp, address: \"b:1\", KEY: 1 }]",
        "dns": "targets: [{ name: a, module: dns, address: b, query: c, KEY: 1 }]",
        "http": "targets: [{ name: a, module: http, address: \"http://b/\", KEY: 1 }]",
        "graphql": "targets: [{ name: a, module: graphql, address: \"http://b/\", query: c, KEY: 1 }]",
        "expect": "targets: [{ name: a, module: http, address: \"http://b/\", expect: { KEY: 1 } }]",
        "authorization":
            "targets: [{ name: a, module: http, address: \"http://b/\", authorization: { credentials: c, KEY: 1 } }]",
        "basic_auth":
            "targets: [{ name: a, module: http, address: \"http://b/\", basic_auth: { username: c, KEY: 1 } }]",
        "tls_config": "targets: [{ name: a, module: http, address: \"http://b/\", tls_config: { KEY: 1 } }]",
    ]

    private static func keys(of mapping: String) throws -> [String] {
        let yaml = try #require(mappings[mapping])
        let error = try #require(throws: YAMLErrors.self) {
            try Configuration.read(Array(yaml.utf8), file: "test.yml", environment: [:])
        }
        let message = try #require(error.errors.first, "\(error)").message
        let list = try #require(message.firstRange(of: "(valid keys: "), "\(error)").upperBound
        return message[list...].dropLast().split(separator: ", ").map(String.init)
    }

    @Test(arguments: mappings.keys.sorted()) func `every key that is read stands in the manual`(mapping: String) throws
    {
        let page = try #require(Self.page)
        let isNested =
            mapping.contains("[]")
            || [
                "health", "settle", "speedtest_server", "schedule", "duration", "budget", "expect", "authorization",
                "basic_auth",
                "tls_config",
            ]
            .contains(mapping)
        for key in try Self.keys(of: mapping) {
            let name = isNested ? "`\(mapping).\(key)`" : "\(key)"
            #expect(
                page.contains(isNested ? name : "`\(key)`") || page.contains("{ \(key),")
                    || page.contains(", \(key) }"),
                "\(mapping): \(key)"
            )
        }
    }

    @Test func `every key of the manual's tables is read`() throws {
        let page = try #require(Self.page)
        let known = try Self.mappings.keys.flatMap { mapping in
            try Self.keys(of: mapping).flatMap { ["\(mapping).\($0)", $0] }
        }
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }
        #expect(rows.count > 40)
        for row in rows {
            let cell = row.dropFirst().prefix { $0 != "|" }
            for name in cell.split(separator: "`").enumerated() where !name.offset.isMultiple(of: 2) {
                #expect(known.contains(String(name.element)), "\(name.element)")
            }
        }
    }

    @Test func `every key that is printed stands in the manual`() throws {
        let page = try #require(Self.page)
        let lines = Configuration().yaml.split(separator: "\n")
        let words = lines.flatMap { $0.split { " {},-\"".contains($0) } }
        let keys = words.filter { $0.hasSuffix(":") && !$0.contains("/") }.map { $0.dropLast() }
        #expect(keys.count > 20)
        for key in keys {
            #expect(page.contains("`\(key)`") || page.contains(".\(key)`") || page.contains("\(key)"), "\(key)")
        }
    }

    @Test func `the example is right`() throws {
        let page = try #require(Self.page)
        let start = try #require(page.firstRange(of: "```yaml\n")).upperBound
        let end = try #require(page[start...].firstRange(of: "```")).lowerBound
        let yaml = String(page[start..<end])
        let configuration = try Configuration.read(Array(yaml.utf8), file: "/nonexistent/test.yml", environment: [:])
        #expect(configuration.targets.all.count == 4)
        #expect(configuration.targets.patterns == ["/nonexistent/targets.d/*.yml"])
    }

    @Test func `the defaults of the manual are those of the code`() throws {
        let page = try #require(Self.page)
        for (key, value) in [
            ("settle.quiet", "50ms"), ("settle.max", "250ms"), ("settle.down_hold", "1s"), ("settle.up_hold", "300ms"),
            ("interval", "30s"), ("expensive_interval", "5m"), ("timeout", "3s"), ("targets_on_expensive", "slow"),
        ] {
            let row = try #require(page.split(separator: "\n").first { $0.hasPrefix("| `\(key)` |") }, "\(key)")
            #expect(row.contains("`\(value)`"), "\(row)")
        }
    }
}
