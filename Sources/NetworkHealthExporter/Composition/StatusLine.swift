import NetworkHealth
import NetworkPath

/// The state in one line for people: `Online via WiFi`, `Offline: no route`, `Offline: captive portal`.
enum StatusLine {
    static func text(_ state: HealthState) -> String {
        guard let reason = HealthReason(state) else { return "Online via \(name(state.connectionType))" }
        switch reason {
        case .starting: return "Connected via \(name(state.connectionType)), the internet is not asked yet"
        case .offline:
            let word = state.path.unsatisfiedReason?.rawValue ?? state.status.rawValue
            return "Offline: \(word.replacing("_", with: " "))"
        default:
            return "Offline: \(reason.rawValue.replacing("_", with: " "))"
        }
    }

    private static func name(_ type: ConnectionType) -> String {
        switch type {
        case .wifi: "WiFi"
        case .cellular: "Cellular"
        case .ethernet: "Ethernet"
        case .other: "another interface"
        case .unknown: "an unknown interface"
        }
    }
}
