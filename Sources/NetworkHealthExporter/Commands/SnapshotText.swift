import NetworkHealth
import NetworkPath
import Posix
import Probing
import SpeedTestCore
import Statistics

/// A snapshot as text: the state in the first line, then the details.
enum SnapshotText {
    /// - Parameters:
    ///   - state: of this moment.
    ///   - rates: the last good ones of this uplink.
    /// - Returns: lines, each with its end.
    static func text(_ state: HealthState, _ rates: [Direction: BitRate] = [:]) -> String {
        let path = state.path
        var lines = [StatusLine.text(state)]
        func line(_ name: String, _ value: String) {
            lines.append("  \(name):" + String(repeating: " ", count: max(1, 14 - name.count)) + value)
        }
        if let interface = path.interface { line("interface", interface.name) }
        line("quality", "\(state.quality.rawValue) (\(state.qualitySource.rawValue))")
        if let underlay = path.underlay { line("underlay", underlay.name) }
        if let internet = state.internet { line("internet", text(internet)) }
        for direction in Direction.allCases {
            if let rate = rates[direction] { line(direction.rawValue, SpeedTestText.rate(rate)) }
        }
        line("expensive", text(path.knownExpensive, path.expensiveSource))
        line("constrained", text(path.knownConstrained, path.constrainedSource))
        let families = [("IPv4", path.supportsIPv4), ("IPv6", path.supportsIPv6), ("DNS", path.supportsDNS)]
        let supported = families.filter(\.1).map(\.0)
        line("supports", supported.isEmpty ? "nothing" : supported.joined(separator: " "))
        if !path.gateways.isEmpty { line("gateways", path.gateways.joined(separator: " ")) }
        return lines.joined(separator: "\n") + "\n"
    }

    /// `yes (nm_yes)`, `no (assumed)`, `unknown`.
    private static func text(_ value: Bool?, _ source: CostSource) -> String {
        value.map { "\($0 ? "yes" : "no") (\(source.rawValue))" } ?? "unknown"
    }

    /// `online`, or where the families differ `online (IPv4 online, IPv6 local only)`.
    private static func text(_ verdict: InternetVerdict) -> String {
        func words(_ state: InternetState) -> String { state.rawValue.replacing("_", with: " ") }
        guard Set(verdict.families.values).union([verdict.state]).count > 1 else { return words(verdict.state) }
        let families = [("IPv4", AddressFamily.ipv4), ("IPv6", .ipv6)].compactMap { name, family in
            verdict.families[family].map { "\(name) \(words($0))" }
        }
        return "\(words(verdict.state)) (\(families.joined(separator: ", ")))"
    }
}
