import NetworkHealth
import StrictYAML
import Testing

@testable import NetworkHealthExporter

struct RequirementsSectionTests {
    private func read(_ yaml: String) throws -> RequirementsSection {
        try Configuration.read(Array(yaml.utf8), file: "test.yml", environment: [:]).requirements
    }

    private func message(_ yaml: String) throws -> String {
        try #require(throws: YAMLErrors.self) { try read(yaml) }.description
    }

    @Test func `without requirements there are the built-in ones`() throws {
        let section = try read("")
        #expect(section.names.prefix(3) == ["online", "unmetered", "basicBrowsing"] && section.names.count == 7)
        #expect(section.staleAfter == nil && section.unmeasured == .estimate)
    }

    @Test func `every key is read`() throws {
        let section = try read(
            """
            requirements:
              videoCall:
                quality: good
                max_latency: 150ms
                max_jitter: 30ms
                max_loss: 1%
                min_download: 4Mbps
                min_upload: 3Mbps
                allow_expensive: false
                allow_constrained: false
                targets: [broker]
                uplink: lte
                max_age: 12h
                unmeasured: fail
                hold: 5s
            targets: [{ name: broker, module: tcp, address: "b:1" }]
            uplinks: [{ name: lte, match: { interface: wwan0 } }]
            health: { stale_after: 2h, unmeasured: fail }
            """
        )
        var expected = Requirement(name: "videoCall", quality: .good)
        expected.maxLatency = .milliseconds(150)
        expected.maxJitter = .milliseconds(30)
        expected.maxLoss = 0.01
        expected.minDownload = 4e6
        expected.minUpload = 3e6
        (expected.allowsExpensive, expected.allowsConstrained) = (false, false)
        expected.targets = ["broker"]
        (expected.uplink, expected.maxAge) = ("lte", .seconds(12 * 3600))
        expected.unmeasured = .fail
        expected.hold = .seconds(5)
        #expect(section.own == [expected])
        #expect(section.names.last == "videoCall" && section.byName["videoCall"] == expected)
        #expect(section.staleAfter == .seconds(7200) && section.unmeasured == .fail)
        let again = try Configuration.read(
            Array(
                """
                \(section.yaml)
                targets: [{ name: broker, module: tcp, address: "b:1" }]
                uplinks: [{ name: lte, match: { interface: wwan0 } }]
                """.utf8
            ),
            file: "test.yml",
            environment: [:]
        )
        #expect(again.requirements == section)
    }

    @Test func `the largest rate can be printed`() throws {
        let section = try read("requirements: { a: { min_download: 9223372036854775807bps } }")
        #expect(section.yaml.contains("min_download: 9223372036854775807bps"))
    }

    @Test func `a built-in name is redefined, and keeps its place`() throws {
        let section = try read("requirements: { largeDownload: { quality: good } }")
        #expect(section.names == RequirementsSection().names)
        #expect(section.byName["largeDownload"]?.quality == .good)
    }

    @Test(arguments: [
        ("requirements: { custom: {} }", "expected a letter and up to 63 letters, digits and _, and not custom"),
        ("requirements: { 1a: {} }", "expected a letter and up to 63 letters"),
        ("requirements: { a-b: {} }", "expected a letter and up to 63 letters"),
        ("requirements: { a: { quality: offline } }", "expected excellent, good, moderate or poor"),
        ("requirements: { a: { max_loss: 2 } }", "expected a ratio"),
        ("requirements: { a: { hold: 2h } }", "expected a duration"),
        ("requirements: { a: { targets: [gone] } }", "there is no target \"gone\""),
        ("requirements: { a: { uplink: eth0 } }", "there is no uplink \"eth0\" in uplinks"),
        ("health: { stale_after: 5 }", "expected auto or a duration"),
        ("health: { unmeasured: maybe }", "expected estimate or fail"),
    ])
    func `what cannot be is an error that says what was expected`(yaml: String, expected: String) throws {
        let message = try message(yaml)
        #expect(message.contains(expected), "\(message)")
    }
}
