import NetworkHealth
import NetworkPath
import Probing
import StrictYAML

/// A state, or a transition to it, as one readable line.
enum StatusLine {
    /// `Online via WiFi`, `Offline: no route`, `Offline: captive portal`.
    static func text(_ state: HealthState) -> String { text(state, over: name(state.connectionType)) }

    /// The same with the device and the change: `Online via WiFi (wlan0), quality good`,
    /// `Offline: link down (cause: link)`, `Online again via WiFi (wlan0) after 42 s (cause: gateway)`.
    static func text(_ transition: Transition, _ state: HealthState) -> String {
        let device = transition.interfaceName.map { " (\($0))" } ?? ""
        let interface = name(state.connectionType) + device
        let cause = transition.outageCause.map { " (cause: \($0))" } ?? ""
        switch state.isOnline {
        case true? where transition.outageSeconds != nil:
            return "Online again via \(interface) after \(time(transition.outageSeconds ?? 0))\(cause)"
        case true?:
            return "\(text(state, over: interface))\(doubt(state.internet)), quality \(transition.quality)"
        case nil: return text(state, over: interface)
        case false?: return text(state, over: interface) + cause
        }
    }

    /// What is wrong with an internet that is online, or why it is not verified.
    static func doubt(_ verdict: InternetVerdict?) -> String {
        switch verdict?.state {
        case .tlsUntrusted: ", certificates are not trusted"
        case .degraded: ", \(impairment(verdict))"
        case .unknown where verdict?.isHindered == true: ": a limit of this machine prevents its checks"
        case .unknown where verdict?.isUnknownToHost == true: ": the exporter of the host does not know its state"
        case .online where verdict?.isHindered == true:
            ", not checked at present: a limit of this machine prevents it"
        default: ""
        }
    }

    /// Why an internet is degraded, the gravest reason alone.
    static func impairment(_ verdict: InternetVerdict?) -> String {
        let reasons = verdict?.degradedReasons ?? []
        if reasons.contains(.mtu) { return "large packets do not arrive (MTU)" }
        if !reasons.isDisjoint(with: [.loss, .retransmissions]) { return "losing packets" }
        return reasons.contains(.certificate) ? "the certificate of one host is not trusted" : "impaired"
    }

    /// What to do about a cost that no source knows; nil where one does, and where the exporter of the host is to report it.
    static func costAdvice(_ path: Path, followsHost: Bool) -> String? {
        let subject = "Cost of \(path.interface?.name ?? "the path")"
        switch path.expensiveSource {
        case .assumed: return "\(subject) is assumed to be free; set --path.expensive if it is not"
        case .unknown where !followsHost:
            return """
                \(subject) is unknown in a container; set --path.expensive, or --host.url to ask the exporter of the host
                """
        default: return nil
        }
    }

    private static func text(_ state: HealthState, over interface: String) -> String {
        guard let reason = HealthReason(state) else { return "Online via \(interface)" }
        switch reason {
        case .starting where state.isSettling: return "Connecting"
        case .starting:
            return "Connected via \(interface), the internet is not verified yet\(doubt(state.internet))"
        case .offline:
            let word = state.path.unsatisfiedReason?.rawValue ?? state.status.rawValue
            return "Offline: \(word.replacing("_", with: " "))"
        default:
            return "Offline: \(reason.rawValue.replacing("_", with: " "))"
        }
    }

    /// `0.4 s`, `42 s`, from two minutes on `2m5s`.
    static func time(_ seconds: Double) -> String {
        if seconds < 10 { return "\(seconds.rounded(toPlaces: 1)) s" }
        let whole = Int64(min(seconds, 1e9).rounded())
        return whole < 120 ? "\(whole) s" : DurationText.format(.seconds(whole))
    }

    static func name(_ type: ConnectionType) -> String {
        switch type {
        case .wifi: "WiFi"
        case .cellular: "Cellular"
        case .ethernet: "Ethernet"
        case .other: "another interface"
        case .unknown: "an unknown interface"
        }
    }
}
