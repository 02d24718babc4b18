import NetworkHealth

extension Fault {
    /// What is wrong and where, as a few words without a full stop: `No connection on the line to your provider`.
    var title: String {
        switch (location, kind) {
        case (.router, _): "Your router does not answer"
        case (.dns, .latency): "A name server answers slowly"
        case (.dns, _): "A name server does not work"
        case (.policy, _): "This network blocks the connection"
        case (.destination, .outage): "One service alone does not work"
        default: "\(kind.title) \(location.phrase)"
        }
    }

    /// What is wrong, where, and whom to call.
    var sentence: String { "\(title). Whom to call: \(location.call)." }
}

extension FaultKind {
    var title: String {
        switch self {
        case .outage: "No connection"
        case .loss: "Packets are lost"
        case .latency: "Packets are delayed"
        case .throughput: "The speed is low"
        case .mtu: "Large packets vanish"
        }
    }
}

extension FaultLocation {
    /// Where it is, as the end of a sentence.
    var phrase: String {
        switch self {
        case .host: "on this computer"
        case .link: "on the cable or Wi-Fi of this computer"
        case .router: "at your router"
        case .access: "on the line to your provider"
        case .provider: "in your provider's network"
        case .internet: "on the internet, behind your provider"
        case .vpn: "in the VPN"
        case .destination: "on the way to one service alone"
        case .dns: "at a name server"
        case .policy: "by a rule of this network"
        case .unknown: "at a place that is not known yet"
        }
    }
}
