import NetworkPath
import Posix
import Testing

@testable import NetworkHealthExporter

struct PathSectionRoundTripTests {
    private static let changes: [@Sendable (inout PathSection) -> Void] = [
        { _ in },
        { $0.policy.expensive = true },
        { $0.policy.expensive = false },
        { $0.policy.constrained = true },
        { $0.expensiveFile = "/run/ex\"pensive" },
        { $0.policy.anchors[.ipv4] = IPAddress("198.18.0.1") },
        { $0.policy.anchors[.ipv6] = IPAddress("2001:db8::1") },
        { $0.timings.quiet = .zero },
        { $0.timings.max = .seconds(60) },
        { $0.timings.downHold = .milliseconds(61_001) },
        { $0.timings.upHold = .seconds(3600) },
    ]

    /// Device names and globs, ordinary and hostile.
    private static let globs = [
        "eth0", "wwan*", "br-[a-f0-9]?", "*", "a: b", "- x", "#", "\"", "\\", "'", "{}", "${HOME}", "$${x}", "$",
        "null",
        "true", "12", " ", "a\tb", "a\nb", "ü", "漢", "\u{85}", "\u{90}", "\u{2028}", "\u{feff}", "\u{7f}", "🌍",
    ]

    private func roundTrip(_ section: PathSection) throws -> PathSection {
        let yaml = section.yaml
        #expect(yaml.hasSuffix("\n"))
        return try Configuration.read(Array(yaml.utf8), file: "test.yml", environment: [:]).path
    }

    @Test(arguments: changes.indices) func `what is printed reads the same`(index: Int) throws {
        var section = PathSection()
        Self.changes[index](&section)
        #expect(try roundTrip(section) == section)
    }

    @Test(arguments: globs, [(Bool?.none, Bool?.some(true)), (false, nil), (true, false)])
    func `so do rules, whatever their glob`(glob: String, values: (Bool?, Bool?)) throws {
        var section = PathSection()
        section.policy.rules = [
            PathPolicy.Rule(interfaceGlob: glob, expensive: values.0, constrained: values.1),
            PathPolicy.Rule(interfaceGlob: "last", expensive: true),
        ]
        #expect(try roundTrip(section) == section)
    }

    @Test func `the default is the section of the manual`() {
        #expect(
            PathSection().yaml == """
                path:
                  viewpoint: auto
                  anchors: { ipv4: "1.1.1.1", ipv6: "2606:4700:4700::1111" }
                  expensive: auto
                  expensive_file: ""
                  constrained: false
                  rules: []
                  settle: { quiet: 50ms, max: 250ms, down_hold: 1s, up_hold: 300ms }

                """
        )
    }
}
