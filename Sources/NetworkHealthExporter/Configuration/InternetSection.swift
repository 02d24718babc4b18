import Posix
import Probing
import StrictYAML

/// The key `internet`: whom to ask whether there is an internet behind the path.
struct InternetSection: Sendable, Equatable {
    /// false contacts nobody.
    var isEnabled = true
    var configuration = InternetConfiguration()

    init() {}

    init(reading map: inout MappingReader) throws(YAMLError) {
        let intervals = YAMLType.duration(in: .seconds(1) ... .seconds(86_400))
        var new = configuration
        isEnabled = try map.read("enabled", as: .bool, default: isEnabled)
        new.interval = try map.read("interval", as: intervals, default: new.interval)
        new.expensiveInterval = try map.read("expensive_interval", as: intervals, default: new.expensiveInterval)
        let timeouts = YAMLType.duration(in: .milliseconds(100) ... .seconds(60))
        new.timeout = try map.read("timeout", as: timeouts, default: new.timeout)
        guard new.timeout <= min(new.interval, new.expensiveInterval) else {
            let timeout = DurationText.format(new.timeout)
            throw map.error("expected at most interval and expensive_interval, and it is \(timeout)", at: "timeout")
        }
        let check = YAMLType.section(Self.check).placed
        if let probes = try map.optional("probes", as: .list(of: check)) {
            new.probes = try Self.distinct(probes)
            guard !probes.isEmpty else { throw map.error("expected at least one", at: "probes") }
        }
        new.https = try map.read("https", as: .list(of: .url(["https"])), default: new.https)
        let literal = YAMLType.text("ADDRESS:PORT such as 192.0.2.1:443 or [2001:db8::1]:443") { text in
            // Loopback proves nothing.
            SocketAddress(text).flatMap { $0.ip.isRoutable ? $0 : nil }
        }
        new.literals = try map.read("literals", as: .list(of: literal), default: new.literals)
        configuration = new
    }

    private static func check(_ map: inout MappingReader) throws(YAMLError) -> InternetConfiguration.Check {
        InternetConfiguration.Check(
            name: try map.required("name", as: probeName),
            url: try map.required("url", as: .url(["http", "https"])),
            expectation: try map.required("expect", as: .section(expectation))
        )
    }

    private static func expectation(_ map: inout MappingReader) throws(YAMLError) -> InternetConfiguration.Expectation {
        let status = try map.optional("status", as: .httpStatus)
        let prefix = try map.optional("body_prefix", as: .nonEmptyString)
        switch (status, prefix) {
        case (let status?, nil): return .status(status)
        case (nil, let prefix?): return .bodyPrefix(prefix)
        default: throw map.error("expected either status or body_prefix")
        }
    }

    private static func distinct(
        _ checks: [Placed<InternetConfiguration.Check>]
    ) throws(YAMLError) -> [InternetConfiguration.Check] {
        var names: Set<String> = []
        for check in checks where !names.insert(check.value.name).inserted {
            throw check.error("the name \(JSONText.quoted(check.value.name)) is already taken")
        }
        return checks.map(\.value)
    }

    /// A value of the label `probe`, beside those of what is asked without a name of its own.
    private static var probeName: YAMLType<String> {
        let taken = ["https", "literal", "gateway"]
        return .text("1 to 63 letters, digits, _ or -, and none of \(taken.joined(separator: ", "))") { text in
            let isName = (1...63).contains(text.utf8.count) && text.utf8.allSatisfy(\.isNameByte)
            return isName && !taken.contains(text) ? text : nil
        }
    }

    /// The section as it would be written.
    var yaml: String {
        let probes = configuration.probes.map { probe in
            let expectation =
                switch probe.expectation {
                case .status(let status): ("status", "\(status)")
                case .bodyPrefix(let prefix): ("body_prefix", YAMLText.quoted(prefix))
                }
            return YAMLText.flow([
                ("name", YAMLText.quoted(probe.name)), ("url", YAMLText.quoted(probe.url)),
                ("expect", YAMLText.flow([expectation])),
            ])
        }
        let lines = [
            "internet:",
            "  enabled: \(isEnabled)",
            "  interval: \(DurationText.format(configuration.interval))",
            "  expensive_interval: \(DurationText.format(configuration.expensiveInterval))",
            "  timeout: \(DurationText.format(configuration.timeout))",
            "  probes:",
        ]
        let lists = [
            "  https: \(YAMLText.list(configuration.https.map(YAMLText.quoted)))",
            "  literals: \(YAMLText.list(configuration.literals.map { YAMLText.quoted($0.description) }))",
        ]
        return (lines + probes.map { "    - \($0)" } + lists).joined(separator: "\n") + "\n"
    }
}
