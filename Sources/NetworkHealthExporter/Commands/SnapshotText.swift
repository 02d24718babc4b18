import NetworkHealth
import NetworkPath

/// A snapshot for people: the state in the first line, then what stands behind it.
enum SnapshotText {
    static func text(_ state: HealthState) -> String {
        let path = state.path
        var lines = [StatusLine.text(state)]
        func line(_ name: String, _ value: String) {
            lines.append("  \(name):" + String(repeating: " ", count: max(1, 14 - name.count)) + value)
        }
        if let interface = path.interface { line("interface", interface.name) }
        line("quality", "\(state.quality.rawValue) (\(state.qualitySource.rawValue))")
        if let underlay = path.underlay { line("underlay", underlay.name) }
        line("expensive", "\(path.isExpensive ? "yes" : "no") (\(path.expensiveSource.rawValue))")
        line("constrained", "\(path.isConstrained ? "yes" : "no") (\(path.constrainedSource.rawValue))")
        let families = [("IPv4", path.supportsIPv4), ("IPv6", path.supportsIPv6), ("DNS", path.supportsDNS)]
        let supported = families.filter(\.1).map(\.0)
        line("supports", supported.isEmpty ? "nothing" : supported.joined(separator: " "))
        if !path.gateways.isEmpty { line("gateways", path.gateways.joined(separator: " ")) }
        return lines.joined(separator: "\n") + "\n"
    }
}
