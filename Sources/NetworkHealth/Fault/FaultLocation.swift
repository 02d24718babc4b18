/// Where a fault is, the place nearest to this host first; the raw values are labels.
package enum FaultLocation: String, Sendable, CaseIterable {
    /// This machine.
    case host
    /// Its cable or radio.
    case link
    /// The first router.
    case router
    /// From that router's forwarding to the provider's first hop, the modem and a second router at home included.
    case access
    /// Behind the provider's first hop.
    case provider
    /// The hops that can be seen are well, the servers are not.
    case internet
    /// The tunnel.
    case vpn
    /// One target or server alone.
    case destination
    /// A name server.
    case dns
    /// A login page, an inspection of TLS, or a firewall that rejects.
    case policy
    /// There is a fault, and the evidence does not decide where.
    case unknown

    /// Whom to call: the one table that every view prints.
    package var call: String {
        switch self {
        case .host: "you: this computer"
        case .link: "you: the cable or Wi-Fi of this computer"
        case .router: "you; at work, your IT"
        case .access: "check modem and cables, then call the provider"
        case .provider: "the provider"
        case .internet: "wait, and inform the provider"
        case .vpn: "the operator of the VPN"
        case .destination: "the operator of that service"
        case .dns: "the operator of the name server"
        case .policy: "sign in, or call the operator of this network"
        case .unknown: "nobody yet"
        }
    }
}

/// What a fault does; the raw values are labels.
package enum FaultKind: String, Sendable, CaseIterable {
    /// Nothing passes.
    case outage
    /// Packets are lost.
    case loss
    /// Packets wait.
    case latency
    /// Less passes than it should.
    case throughput
    /// Large packets do not pass.
    case mtu
}

extension FaultLocation {
    /// The kinds that have a meaning at this place: the closed list of the pairs of labels.
    package var kinds: [FaultKind] {
        switch self {
        case .host: [.outage, .latency, .throughput]
        case .link: [.outage, .loss, .latency, .throughput]
        // Faults in what it forwards look like faults of the line behind it: they are `access`.
        case .router: [.outage]
        case .access, .provider: [.outage, .loss, .latency, .throughput]
        case .internet: [.outage, .loss, .latency]
        case .vpn: [.outage, .loss, .latency, .mtu]
        case .destination: [.outage, .loss, .latency, .throughput]
        case .dns: [.outage, .latency]
        case .policy: [.outage]
        case .unknown: FaultKind.allCases
        }
    }
}
