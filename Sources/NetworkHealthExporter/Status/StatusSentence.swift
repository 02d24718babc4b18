import NetworkHealth
import NetworkPath
import Probing

/// The state of the network in plain words that name whose fault an outage is, and no more than was measured; pure.
enum StatusSentence {
    /// The words for a state.
    ///
    /// - Parameters:
    ///   - state: nil before the first evaluation.
    ///   - routerAnswers: nil where that is not known.
    ///   - faults: those that hold, the nearest to this host first.
    /// - Returns: one sentence, and with a fault of a connection that is online another one or two.
    static func text(_ state: HealthState?, routerAnswers: Bool?, faults: [Fault] = []) -> String {
        guard let state else { return "Starting: the network has not been evaluated yet." }
        let device = state.path.interface.map { " (\($0.name))" } ?? ""
        let connection = StatusLine.name(state.connectionType) + device
        switch state.isOnline {
        case true?:
            // One service alone is no fault of the connection.
            guard let fault = faults.first(where: { $0.location != .destination }) else {
                return "Online via \(connection)\(StatusLine.doubt(state.internet))."
            }
            let isSame = fault.explains(state.internet)
            let state = "Online via \(connection)\(isSame ? "" : StatusLine.doubt(state.internet))"
            let cause = fault.observations.first { $0.what == .state }?.says
            return ["\(state).", "\(text(fault)).", cause].compactMap(\.self).joined(separator: " ")
        case nil where state.isSettling: return "Connecting."
        case nil:
            let doubt = StatusLine.doubt(state.internet)
            return "Connected via \(connection); the internet is not verified yet\(doubt)."
        case false? where state.status.isConnected:
            let cause = state.internet.flatMap(OutageCause.init) ?? .noInternet
            let outage = faults.first { $0.kind == .outage && ![.destination, .unknown].contains($0.location) }
            // A router that answers no pings may pass packets: where they end is measured, too.
            if cause == .noInternet || cause == .gateway, let outage { return "\(text(outage))." }
            // The name server may work: packets of all kinds may be lost.
            if cause == .dnsBroken, let missing = faults.lazy.compactMap(\.missing).first {
                return "Names lead to no server (DNS); an address on the internet answers. \(missing)"
            }
            return text(cause, state.path, routerAnswers: routerAnswers)
        case false?: return text(state.path)
        }
    }

    /// A fault, without the full stop; the provider is blamed for what is behind its first router alone.
    private static func text(_ fault: Fault) -> String {
        switch (fault.location, fault.kind) {
        case (.access, .outage): "Your router answers, and your provider does not: the fault is between the two"
        case (.provider, .outage):
            "Your provider, not your network: its first router is reached, and nothing behind it"
        case (.provider, _): "Your provider, not your network: \(fault.kind.title.lowercased()) there"
        case (.internet, .outage): "Your provider answers, and nothing on the internet behind it does"
        default: fault.title
        }
    }

    /// Why there is no path.
    private static func text(_ path: Path) -> String {
        switch path.unsatisfiedReason {
        case .linkDown?: return text(linkDown: path)
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

    /// Which link is down: of a tunnel the one below it.
    private static func text(linkDown path: Path) -> String {
        // A device of a container's host has the index 0, and may be well.
        let below = path.underlay.flatMap { $0.index > 0 && path.interface?.isTunnel == true ? $0 : nil }
        let link = below ?? path.interface
        let device = link?.name ?? "the network device"
        switch link?.type {
        case _ where link?.isTunnel == true: return "The link below \(device) is down."
        case .wifi?: return "\(device) is not connected to a wireless network."
        case .cellular?: return "\(device) is not connected to a mobile network."
        case .wiredEthernet? where link?.isPointToPoint == true: return "The line \(device) is not connected."
        case .wiredEthernet?:
            return "The cable of \(device) is not connected, its other end is off, or \(device) is switched off."
        default: return "\(device) has no link."
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
            return "Your router answers, and nothing on the internet does; where the fault is, is not known."
        case .noInternet where path.routersInUse.isEmpty:
            return "You are connected, and nothing on the internet answers."
        case .noInternet:
            return "You are connected, and nothing on the internet answers; whether your router does is not known."
        }
    }
}

extension Fault {
    /// Why the place of an outage is not known, as a sentence; nil: it is known, or there is none.
    fileprivate var missing: String? {
        guard kind == .outage, location == .unknown else { return nil }
        return observations.first { $0.what == .missing }?.says
    }

    /// Whether it says, with its place, what makes an internet degraded.
    fileprivate func explains(_ verdict: InternetVerdict?) -> Bool {
        let reasons = verdict?.degradedReasons ?? []
        return switch kind {
        case .loss: !reasons.isEmpty && reasons.isSubset(of: [.loss, .retransmissions])
        case .mtu: reasons == [.mtu]
        case .outage, .latency, .throughput: false
        }
    }
}
