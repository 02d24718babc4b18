import NetworkHealth
import NetworkPath
import Probing

/// The state of the network in one plain sentence that names whose fault an outage is, and no more than is known; pure.
enum StatusSentence {
    /// The sentence for a state, nil before the first evaluation; `routerAnswers`: nil where that is not known.
    static func text(_ state: HealthState?, routerAnswers: Bool?) -> String {
        guard let state else { return "Starting: the network has not been evaluated yet." }
        let device = state.path.interface.map { " (\($0.name))" } ?? ""
        let connection = StatusLine.name(state.connectionType) + device
        switch state.isOnline {
        case true?: return "Online via \(connection)\(StatusLine.doubt(state.internet))."
        case nil where state.isSettling: return "Connecting."
        case nil:
            let doubt = StatusLine.doubt(state.internet)
            return "Connected via \(connection); the internet is not verified yet\(doubt)."
        case false? where state.status.isConnected:
            let cause = state.internet.flatMap(OutageCause.init) ?? .noInternet
            return text(cause, state.path, routerAnswers: routerAnswers)
        case false?: return text(state.path)
        }
    }

    /// Why there is no path.
    private static func text(_ path: Path) -> String {
        let device = path.interface?.name ?? "the network device"
        switch path.unsatisfiedReason {
        case .linkDown?:
            switch path.interface?.type {
            case .wifi?: return "\(device) is not connected to a wireless network."
            case .cellular?: return "\(device) is not connected to a mobile network."
            case .wiredEthernet?:
                return "The cable of \(device) is not connected, its other end is off, or \(device) is switched off."
            default: return "\(device) has no link."
            }
        case .noRoute?, nil: return "This host has no route to the internet: no usable address, or no router."
        case .vpnInactive?: return "The VPN is not connected."
        case .policyDenied?: return "A rule on this host blocks the traffic, such as a VPN's kill switch."
        case .connecting?: return "A connection is being made."
        case .cellularInactive?: return "The modem is not connected."
        case .wifiDenied?: return "Wi-Fi is switched off on this host."
        case .cellularDenied?: return "The modem is switched off on this host."
        case .disabled?: return "Networking is switched off on this host."
        }
    }

    /// Why nothing is reached over the path.
    private static func text(_ cause: OutageCause, _ path: Path, routerAnswers: Bool?) -> String {
        switch cause {
        // The path is there.
        case .link, .route: return text(path)
        case .gateway where path.viewpoint == .container: return "The network of this container's host does not answer."
        case .gateway: return "Your router does not answer."
        case .dnsBroken:
            return
                "Names lead to no server (DNS); addresses on the internet answer. Check the DNS servers of this network."
        case .captivePortal:
            return "A login page blocks the connection. Open any page in a browser and sign in."
        case .tlsUntrusted:
            return
                "Certificates are not trusted: a proxy that inspects TLS, old CA certificates or a wrong clock on this host."
        case .noInternet where path.viewpoint == .container:
            return "Nothing on the internet answers; this container cannot see where the fault is."
        case .noInternet where path.interface?.isTunnel == true:
            return "Nothing on the internet answers through the VPN (\(path.interface?.name ?? ""))."
        case .noInternet where routerAnswers == true:
            return "Your provider, not your network: your router answers, and nothing on the internet does."
        case .noInternet where path.gateways.isEmpty: return "You are connected, and nothing on the internet answers."
        case .noInternet:
            return "You are connected, and nothing on the internet answers; whether your router does is not known."
        }
    }
}
