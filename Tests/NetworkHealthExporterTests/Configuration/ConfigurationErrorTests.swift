import StrictYAML
import Testing

@testable import NetworkHealthExporter

struct ConfigurationErrorTests {
    /// A broken file, and what the operator reads.
    struct Broken: Sendable, CustomTestStringConvertible {
        var yaml: String
        var message: String

        init(_ yaml: String, _ message: String) {
            self.yaml = yaml
            self.message = message
        }

        var testDescription: String { yaml }
    }

    static let duration = "expected a duration such as 50ms, 1s, 5m, 1h30m or 90d"

    static let keys = [
        Broken(
            "paht: {}",
            "1: unknown key \"paht\", did you mean \"path\"? (valid keys: path, host, internet, gateway, hops, uplinks, stun, speedtest, plan, targets_on_expensive, targets, targets_files, targets_files_expand, requirements, health, speedtest_server, offline_queue, webhooks, history)"
        ),
        Broken(
            "path:\n  speed: 1\n",
            "2: path: unknown key \"speed\" (valid keys: viewpoint, anchors, expensive, expensive_file, constrained, rules, settle)"
        ),
        Broken(
            "path:\n  expensve: true\n",
            "2: path: unknown key \"expensve\", did you mean \"expensive\"? (valid keys: viewpoint, anchors, expensive, expensive_file, constrained, rules, settle)"
        ),
        Broken("path: {}\npath: {}\n", "2: the key \"path\" is already on line 1"),
        Broken("path:\n  constrained: true\n  constrained: false\n", "3: the key \"constrained\" is already on line 2"),
        Broken(
            "path:\n  settle:\n    quite: 1s\n",
            "3: path.settle: unknown key \"quite\", did you mean \"quiet\"? (valid keys: quiet, max, down_hold, up_hold)"
        ),
        Broken(
            "path: { anchors: { ipv5: 1.1.1.1 } }",
            "1: path.anchors: unknown key \"ipv5\", did you mean \"ipv4\"? (valid keys: ipv4, ipv6)"
        ),
        Broken(
            "path:\n  rules:\n    - { expensive: true }\n",
            "3: path.rules[0]: the key \"interface\" is missing"
        ),
        Broken(
            "path:\n  rules:\n    - { interfaces: eth0, expensive: true }\n",
            "3: path.rules[0]: the key \"interface\" is missing (is \"interfaces\" meant to be it?)"
        ),
    ]

    static let values = [
        Broken("path: yes", "1: path: expected a mapping, found a text"),
        Broken("- path", "1: expected a mapping, found a list"),
        Broken("path:\n  expensive: maybe\n", "2: path.expensive: expected auto, true or false, found \"maybe\""),
        Broken("path:\n  expensive: []\n", "2: path.expensive: expected auto, true or false, found an empty list"),
        Broken(
            "path:\n  constrained: yes\n",
            "2: path.constrained: expected true or false, found \"yes\" (other spellings, such as yes and on, are not taken)"
        ),
        Broken(
            "path:\n  constrained: \"true\"\n",
            "2: path.constrained: expected true or false without quotes, found \"true\" in quotes"
        ),
        Broken("path:\n  constrained:\n", "2: path.constrained: expected true or false, found nothing"),
        Broken(
            "path: { anchors: { ipv4: 127.0.0.1 } }",
            "1: path.anchors.ipv4: expected a routable IPv4 address, found \"127.0.0.1\""
        ),
        Broken(
            "path: { anchors: { ipv6: \"ff02::1\" } }",
            "1: path.anchors.ipv6: expected a routable IPv6 address, found \"ff02::1\""
        ),
        Broken(
            "path: { anchors: { ipv4: \"::1\" } }",
            "1: path.anchors.ipv4: expected a routable IPv4 address, found \"::1\""
        ),
        Broken(
            "path: { anchors: { ipv6: 1.1.1.1 } }",
            "1: path.anchors.ipv6: expected a routable IPv6 address, found \"1.1.1.1\""
        ),
        Broken(
            "path: { anchors: { ipv4: one.one } }",
            "1: path.anchors.ipv4: expected a routable IPv4 address, found \"one.one\""
        ),
        Broken("path:\n  rules: eth0\n", "2: path.rules: expected a list, found a text"),
        Broken("path:\n  rules: [eth0]\n", "2: path.rules[0]: expected a mapping, found a text"),
        Broken(
            "path:\n  rules:\n    - { interface: eth0 }\n",
            "3: path.rules[0]: expected expensive or constrained beside the interface"
        ),
        Broken(
            "path:\n  rules:\n    - { interface: \"\", expensive: true }\n",
            "3: path.rules[0].interface: expected a text that is not empty, found \"\""
        ),
        Broken(
            "path:\n  settle:\n    quiet: fast\n",
            "3: path.settle.quiet: \(duration) from 0s to 10s, found \"fast\""
        ),
        Broken("path:\n  settle:\n    quiet: 11s\n", "3: path.settle.quiet: \(duration) from 0s to 10s, found \"11s\""),
        Broken("path:\n  settle:\n    max: 61s\n", "3: path.settle.max: \(duration) from 0s to 1m, found \"61s\""),
        Broken(
            "path:\n  settle:\n    down_hold: 2h\n",
            "3: path.settle.down_hold: \(duration) from 0s to 1h, found \"2h\""
        ),
        Broken(
            "path:\n  settle:\n    up_hold: -1s\n",
            "3: path.settle.up_hold: \(duration) from 0s to 1h, found \"-1s\""
        ),
        Broken("path:\n  settle:\n    max: 10ms\n", "3: path.settle.max: expected at least quiet"),
        Broken("path:\n  settle: { quiet: 1s }\n", "2: path.settle: max: expected at least quiet"),
    ]

    static let texts = [
        Broken(
            "path:\n\tconstrained: true\n",
            "2: found character that cannot start any token while scanning for the next token (a tab cannot indent: use spaces)"
        ),
        Broken("path: {\n", "2: did not find expected node content while parsing a flow node"),
        Broken(
            "path: &a { <<: *b }\n",
            "1: merge keys (<<) are not supported: write the keys out, or alias a whole value"
        ),
        Broken("path: *b\n", "1: no anchor &b is complete before its alias"),
        Broken("path: !x {}\n", "1: the tag \"!x\" is not supported"),
        Broken("path: {}\n---\npath: {}\n", "2: expected one document, found a second one"),
        Broken("path: {}\n# \0\n", "2: a NUL character is not allowed"),
        Broken(
            "path: { constrained: \"${SAVE}\" }\n",
            "1: path.constrained: the environment variable SAVE is not set"
        ),
        Broken(
            "path: { constrained: \"${SAVE\" }\n",
            "1: path.constrained: ${ without its } (write $${ for a literal ${)"
        ),
        Broken(
            "path: { rules: [{ interface: \"${file:/nonexistent}\", expensive: true }] }\n",
            "1: path.rules[0].interface: cannot read \"/nonexistent\": open /nonexistent: No such file or directory (errno 2)"
        ),
    ]

    @Test(arguments: keys + values + texts) func `an error has the file, the line, the key and what was expected`(
        broken: Broken
    ) throws {
        let error = try #require(throws: YAMLErrors.self) {
            try Configuration.read(Array(broken.yaml.utf8), file: "test.yml", environment: [:])
        }
        #expect(error.description == "test.yml:\(broken.message)")
    }

    @Test func `bytes that are not UTF-8 are refused with their line`() throws {
        let error = try #require(throws: YAMLErrors.self) {
            try Configuration.read(Array("path:\n".utf8) + [0xff], file: "test.yml", environment: [:])
        }
        #expect(error.description == "test.yml:2: expected UTF-8 text")
    }

    @Test func `an error does not show what a secret was filled in with`() throws {
        let error = try #require(throws: YAMLErrors.self) {
            try Configuration.read(
                Array("path: { constrained: \"${SECRET}\" }".utf8),
                file: "test.yml",
                environment: ["SECRET": "hunter2"]
            )
        }
        #expect(!error.description.contains("hunter2"))
    }
}
