import Lab
import NetworkPath
import Posix
import StrictYAML
import Testing

@testable import NetworkHealthExporter

struct PathSectionTests {
    private func read(_ yaml: String, _ variables: [String: String] = [:]) throws -> PathSection {
        try Configuration.read(Array(yaml.utf8), file: "test.yml", environment: variables).path
    }

    @Test(arguments: ["", "# nothing\n", "path:\n", "path: {}\n", "path: { settle: }\n", "---\n"])
    func `what is not written has its default`(yaml: String) throws {
        let section = try read(yaml)
        #expect(section == PathSection())
        #expect(section.policy.anchors == [.ipv4: IPAddress("1.1.1.1"), .ipv6: IPAddress("2606:4700:4700::1111")])
        #expect(section.policy.expensive == nil)
        #expect(section.expensiveFile == nil)
        #expect(!section.policy.constrained)
        #expect(section.policy.rules.isEmpty)
        #expect(section.timings.quiet == .milliseconds(50) && section.timings.max == .milliseconds(250))
        #expect(section.timings.downHold == .seconds(1) && section.timings.upHold == .milliseconds(300))
    }

    @Test func `no file is the default too`() throws {
        var none = ConfigurationSources()
        #expect(try Configuration.read(&none, environment: [:]) == Configuration())
    }

    @Test func `reads every key`() throws {
        let section = try read(
            """
            path:
              anchors: { ipv4: 198.18.0.1, ipv6: "2001:db8::1" }
              expensive: true
              expensive_file: /run/expensive
              constrained: true
              rules:
                - { interface: "wwan*", expensive: true, constrained: false }
                - { interface: eth0, expensive: false }
                - interface: 'br-[0-9]'
                  constrained: true
              settle: { quiet: 10ms, max: 1s, down_hold: 1m30s, up_hold: 0 }
            """
        )
        #expect(section.policy.anchors == [.ipv4: IPAddress("198.18.0.1"), .ipv6: IPAddress("2001:db8::1")])
        #expect(section.policy.expensive == true)
        #expect(section.expensiveFile == "/run/expensive")
        #expect(section.policy.constrained)
        #expect(
            section.policy.rules == [
                PathPolicy.Rule(interfaceGlob: "wwan*", expensive: true, constrained: false),
                PathPolicy.Rule(interfaceGlob: "eth0", expensive: false),
                PathPolicy.Rule(interfaceGlob: "br-[0-9]", constrained: true),
            ]
        )
        #expect(section.timings.quiet == .milliseconds(10) && section.timings.max == .seconds(1))
        #expect(section.timings.downHold == .seconds(90) && section.timings.upHold == .zero)
    }

    @Test func `one anchor leaves the other at its default`() throws {
        let anchors = try read("path: { anchors: { ipv4: 198.18.0.1 } }").policy.anchors
        #expect(anchors == [.ipv4: IPAddress("198.18.0.1"), .ipv6: IPAddress("2606:4700:4700::1111")])
    }

    @Test func `an anchor may be in a private network`() throws {
        let anchors = try read("path: { anchors: { ipv4: 192.168.1.1, ipv6: \"fd00::1\" } }").policy.anchors
        #expect(anchors == [.ipv4: IPAddress("192.168.1.1"), .ipv6: IPAddress("fd00::1")])
    }

    @Test(arguments: [("auto", Bool?.none), ("true", true), ("false", false)])
    func `expensive is auto or a truth value`(text: String, expected: Bool?) throws {
        #expect(try read("path: { expensive: \(text) }").policy.expensive == expected)
    }

    @Test func `the environment fills in values, also those that are no text`() throws {
        let variables = ["DEVICE": "wwan*", "SAVE": "true", "HOLD": "5s"]
        let section = try read(
            """
            path:
              constrained: ${SAVE}
              rules: [{ interface: "${DEVICE}", expensive: "${SAVE}" }, { interface: "$${X}", expensive: false }]
              settle: { down_hold: "${HOLD}", up_hold: "${MISSING:-2s}" }
            """,
            variables
        )
        #expect(section.policy.constrained)
        #expect(section.policy.rules.map(\.interfaceGlob) == ["wwan*", "${X}"])
        #expect(section.policy.rules.map(\.expensive) == [true, false])
        #expect(section.timings.downHold == .seconds(5) && section.timings.upHold == .seconds(2))
    }

    @Test func `a file fills in a value too`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("device", "usb0\n")
        let section = try read("path: { rules: [{ interface: \"${file:\(file)}\", expensive: true }] }")
        #expect(section.policy.rules.map(\.interfaceGlob) == ["usb0"])
    }

    @Test func `the monitor gets its policy, its timings and the root`() throws {
        var configuration = Configuration()
        configuration.path.policy.expensive = true
        configuration.path.timings.quiet = .zero
        var settings = PathSettings()
        settings.roots.sysfs = "/elsewhere"
        settings.flags.constrained = true
        let path = configuration.pathConfiguration(settings)
        #expect(path.policy.expensive == true && path.policy.flags == settings.flags)
        #expect(path.timings == configuration.path.timings)
        #expect(path.sysfsRoot == "/elsewhere")
    }
}
