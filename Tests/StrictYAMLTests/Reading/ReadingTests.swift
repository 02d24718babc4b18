import StrictYAML
import Testing

@Suite struct ReadingTests {
    static var type: YAMLType<Configuration> { Configuration.type }

    @Test(arguments: ["", "# nothing\n", "---\n", "{}", "path:\n", "path: { settle: }", "targets:\nrequirements: ~"])
    func `takes every default where nothing is written`(text: String) throws {
        let configuration = try value(text, as: Self.type)
        #expect(configuration.path.expensive == nil)
        #expect(configuration.path.settle.quiet == .milliseconds(50))
        #expect(configuration.path.settle.max == .milliseconds(250))
        #expect(configuration.targets.isEmpty)
    }

    @Test func `reads every kind of value`() throws {
        let configuration = try value(
            """
            path:
              expensive: true
              settle: { quiet: 1s, max: 1m30s }
              limit: 64MiB
            targets:
              - { name: router }
              - name: api
                module: http
                status: [200, 204]
                headers: { X-B: "1", X-A: two }
            requirements: { video: 1%, audio: 0.5 }
            """,
            as: Self.type
        )
        #expect(configuration.path.expensive == true)
        #expect(configuration.path.settle.max == .seconds(90))
        #expect(configuration.path.limit == 67_108_864)
        #expect(configuration.targets.map(\.name) == ["router", "api"])
        #expect(configuration.targets.last?.http == .init(statuses: [200, 204], headers: ["X-B": "1", "X-A": "two"]))
        #expect(
            configuration.requirements == [
                NamedValue(name: "video", value: 0.01), NamedValue(name: "audio", value: 0.5),
            ]
        )
    }

    @Test(arguments: [
        (
            "path:\n  settle:\n    quiet: \"fast\"",
            """
            exporter.yml:3: path.settle.quiet: expected a duration such as 50ms, 1s, 5m, 1h30m or 90d, found "fast"
            """
        ),
        (
            "path: { expensive: maybe }",
            "exporter.yml:1: path.expensive: expected auto, true or false, found \"maybe\""
        ),
        ("path: 5", "exporter.yml:1: path: expected a mapping, found a text"),
        ("path: [1]", "exporter.yml:1: path: expected a mapping, found a list"),
        ("- 1", "exporter.yml:1: expected a mapping, found a list"),
        ("targets: { name: x }", "exporter.yml:1: targets: expected a list, found a mapping"),
        ("targets: [x]", "exporter.yml:1: targets[0]: expected a mapping, found a text"),
        (
            "targets:\n- name: a\n- name: b\n  module: ftp",
            "exporter.yml:4: targets[1].module: expected icmp, dns or http, found \"ftp\""
        ),
        ("targets:\n- module: http", "exporter.yml:2: targets[0]: the key \"name\" is missing"),
        (
            "targets:\n- nmae: a",
            "exporter.yml:2: targets[0]: the key \"name\" is missing (is \"nmae\" meant to be it?)"
        ),
        ("targets:\n- name:", "exporter.yml:2: targets[0].name: expected a text that is not empty, found nothing"),
        (
            "targets:\n- name: a\n  module: http\n  status: 99",
            "exporter.yml:4: targets[0].status: expected a whole number from 100 to 599, found \"99\""
        ),
        (
            "targets:\n- name: a\n  module: http\n  status:\n  - 200\n  - x",
            "exporter.yml:6: targets[0].status[1]: expected a whole number from 100 to 599, found \"x\""
        ),
        (
            "targets:\n- name: a\n  statuses: 200",
            "exporter.yml:3: targets[0]: unknown key \"statuses\" (valid keys: name, module, host)"
        ),
        (
            "path: {}\ntarget: []",
            """
            exporter.yml:2: unknown key "target", did you mean "targets"? (valid keys: path, targets, requirements)
            """
        ),
        (
            "path:\n  setle: {}",
            "exporter.yml:2: path: unknown key \"setle\", did you mean \"settle\"? (valid keys: expensive, settle, limit)"
        ),
        ("path:\n  settle:\n    quiet: 1m", "exporter.yml:3: path.settle.quiet: must not be more than max"),
        ("path: { settle: { max: 1ms } }", "exporter.yml:1: path.settle: quiet: must not be more than max"),
        (
            "requirements: { video: 2 }",
            "exporter.yml:1: requirements.video: expected \(RatioText.expectation), found \"2\""
        ),
        ("requirements:\n  \"\": 1", "exporter.yml:2: requirements: expected a text that is not empty, found \"\""),
    ]) func `an error has its place and what was expected`(text: String, expected: String) {
        #expect(complaint(text, as: Self.type) == expected)
    }

    @Test func `shows outside text on one short line`() {
        let long = String(repeating: "x", count: 100)
        #expect(
            complaint("v: \"a\\nb\\\"c\\e\"", as: key(YAMLType<Int>.int()))
                == #"exporter.yml:1: v: expected a whole number, found "a\nb\"c\u{1B}""#
        )
        #expect(
            complaint("v: \(long)", as: key(YAMLType<Int>.int()))
                == "exporter.yml:1: v: expected a whole number, found \"\(long.prefix(60))…\""
        )
        #expect(complaint("\"\\n\": { v: 1 }", as: .dictionary(of: key(.bool))).contains(#": "\n".v: expected"#))
    }

    @Test func `checks a value further`() {
        let type = key(YAMLType.string.checked("an absolute path") { $0.hasPrefix("/") })
        #expect(complaint("v: /a", as: type) == "accepted")
        #expect(complaint("v: a", as: type) == "exporter.yml:1: v: expected an absolute path, found \"a\"")
    }

    @Test func `checks the names in a mapping as they stand`() {
        let type = YAMLType<[NamedValue<Int>]>.entries(
            of: .int(),
            names: YAMLType.string.checked("a name in lower case") { $0 == $0.lowercased() }
        )
        #expect(complaint("a${B: 1", as: type) == "exporter.yml:1: expected a name in lower case, found \"a${B\"")
        #expect(complaint("a${b: 1", as: type) == "accepted")
    }
}
