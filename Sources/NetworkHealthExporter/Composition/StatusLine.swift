import NetworkHealth
import NetworkPath

/// The state in one line for people: `Online via WiFi`, `Offline: no route`.
enum StatusLine {
    static func text(_ state: HealthState) -> String {
        guard state.isOnline else {
            let reason = state.path.unsatisfiedReason?.rawValue ?? state.status.rawValue
            return "Offline: \(reason.replacing("_", with: " "))"
        }
        return "Online via \(name(state.connectionType))"
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
