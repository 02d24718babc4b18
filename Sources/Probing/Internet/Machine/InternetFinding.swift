import FoundationEssentials

/// A state of the internet and its cause.
struct InternetFinding: Sendable, Equatable {
    var state: InternetState
    /// nil while online, and where the path is the cause: none, or none that the kernel can use.
    var cause: InternetCause?
    /// Why it is degraded; nil in every other state.
    var degraded: DegradedReason?

    static let online = InternetFinding(state: .online)
    static let untrustedHost = InternetFinding(state: .degraded, degraded: .certificate)
    static let smallPackets = InternetFinding(state: .degraded, degraded: .mtu)
    static let captivePortal = InternetFinding(state: .captivePortal, cause: .captivePortal)

    var isOnline: Bool { state.isOnline(cause: cause) }

    /// Whether something between this host and the servers answers in their place.
    var isIntercepted: Bool { state == .captivePortal || state == .tlsUntrusted }

    /// How far packets get: of two families, the one with the higher value decides.
    var reach: Int {
        switch (state, cause) {
        case (.online, _): 8
        case (.degraded, _): 7
        case (.tlsUntrusted, _): 6
        case (.captivePortal, _): 5
        case (.dnsBroken, _): 4
        case (.noInternet, .gateway): 2
        case (.noInternet, _): 3
        case (.noPath, _): 1
        case (.unknown, _): 0
        }
    }
}

extension InternetFinding {
    /// The verdict table.
    ///
    /// | found | state | cause |
    /// |---|---|---|
    /// | HTTPS with a valid certificate | online | |
    /// | the same after one that is not trusted | degraded | |
    /// | the expected HTTP answer, not intercepted | online | |
    /// | the expected HTTP answer, one certificate not trusted | degraded | |
    /// | the expected HTTP answer, HTTPS in small segments alone | degraded | |
    /// | the expected HTTP answer, the certificates of two hosts not trusted | tlsUntrusted | tlsUntrusted, where denied |
    /// | a portal's answer | captivePortal | captivePortal |
    /// | names do not resolve or lead nowhere, a literal address answers | dnsBroken | dns |
    /// | names do not resolve and a literal address answers, while the other family resolves names: these have no address of this one | unknown | |
    /// | wrong answers only, or none and a living router, or one that this machine cannot ping | noInternet | upstream |
    /// | none, and a silent router | noInternet | gateway |
    /// | no route in the kernel, and no router to ping | noPath | |
    ///
    /// A wrong certificate alone is no portal: an inspecting proxy, old authorities or a wrong clock are as likely, and
    /// two hosts of different operators do not fail by chance. A clock that is days off makes every certificate seem
    /// wrong, and says nothing about the network.
    ///
    /// - Parameters:
    ///   - evidence: of one round.
    ///   - otherFamilyResolves: whether the other family resolved a name in this round.
    ///   - otherFamilyAnswers: whether a server answered over the other family in this round: then names lead to servers.
    ///   - untrustedTLS: whether certificates that are not trusted are an outage.
    init(
        _ evidence: FamilyEvidence,
        otherFamilyResolves: Bool = false,
        otherFamilyAnswers: Bool = false,
        untrustedTLS: InternetConfiguration.UntrustedTLS = .allow
    ) {
        let untrusted = evidence.isClockWrong ? 0 : evidence.https.count { $0.distrust != nil }
        if evidence.https.contains(.success) {
            self = untrusted == 0 ? .online : .untrustedHost
        } else if evidence.checks.contains(.portal), !evidence.checks.contains(.success) || !evidence.https.isEmpty {
            // A portal may let one well-known check pass; then HTTPS decides, which has failed here if it was checked.
            self = .captivePortal
        } else if evidence.checks.contains(.success) {
            self =
                switch untrusted {
                case 0: evidence.needsSmallSegments ? .smallPackets : .online
                case 1: .untrustedHost
                default: Self(state: .tlsUntrusted, cause: untrustedTLS == .deny ? .tlsUntrusted : nil)
                }
        } else if evidence.leadsNowhere, evidence.literals.contains(.success),
            evidence.isUnresolved || !otherFamilyAnswers
        {
            let isOtherFamily = otherFamilyResolves && evidence.isUnresolved
            self = isOtherFamily ? Self(state: .unknown) : Self(state: .dnsBroken, cause: .dns)
        } else if (evidence.named + evidence.literals).contains(where: \.isAnswered) {
            self.init(state: .noInternet, cause: .upstream)
        } else if evidence.gateways.isEmpty {
            self = evidence.isUnreachable ? Self(state: .noPath) : Self(state: .noInternet, cause: .upstream)
        } else {
            self.init(state: .noInternet, cause: evidence.isGatewaySilent ? .gateway : .upstream)
        }
    }
}

/// The evidence of one round for one family.
struct FamilyEvidence: Sendable, Equatable {
    /// The HTTP requests with a known answer.
    var checks: [ProbeOutcome] = []
    /// Success: any answer with a valid certificate.
    var https: [ProbeOutcome] = []
    /// The same, over connections with small segments.
    var smallHTTPS: [ProbeOutcome] = []
    /// TCP connections to literal addresses.
    var literals: [ProbeOutcome] = []
    /// The routers of this family; empty: none, or not pinged.
    var gateways: [ProbeOutcome] = []
    /// A limit of this machine prevented a check of a host: the other outcomes may not be complete.
    var isIncomplete = false
    /// This host's clock minus that of the servers, zero where the time of the exchange explains it; nil: unknown.
    var clockSkew: Duration?

    /// This host's clock is days off, so that no certificate seems valid.
    var isClockWrong: Bool { clockSkew.map { abs($0 / .seconds(1)) > ClockCheck.tolerance } ?? false }

    /// The skew, where the clock of this host explains why a certificate is not trusted.
    func clockFault(now: Date) -> Duration? {
        guard let clockSkew, https.contains(where: { $0.distrust?.isExplained(by: clockSkew, now: now) ?? false })
        else { return nil }
        return clockSkew
    }

    /// The checks by name.
    var named: [ProbeOutcome] { checks + https }

    /// Whether no name could be resolved.
    var isUnresolved: Bool { !named.isEmpty && named.allSatisfy(\.isUnresolved) }

    /// Whether no name could be resolved, or all were and no address of them could be connected to.
    var leadsNowhere: Bool { isUnresolved || !named.isEmpty && named.allSatisfy(\.isUnconnected) }

    /// Whether the first HTTPS host connects and then is silent, but for small segments.
    var needsSmallSegments: Bool {
        let silent = https.filter { $0.failure == .timeout && !$0.isUnresolved && !$0.isUnconnected }
        return smallHTTPS.contains(.success) && !silent.isEmpty
    }

    /// Whether a server answered that was asked by its name.
    var isAnswered: Bool { named.contains(where: \.isAnswered) }

    /// Whether some name could be resolved.
    var isResolved: Bool { named.contains { !$0.isUnresolved } }

    /// Whether every router was pinged, and none answered.
    var isGatewaySilent: Bool { gateways.allSatisfy { $0.failure != nil && $0.failure != .local } }

    /// Whether the kernel had no route for any attempt.
    var isUnreachable: Bool {
        let attempts = named.filter { !$0.isUnresolved } + literals
        return !attempts.isEmpty && attempts.allSatisfy { $0.failure == .unreachable }
    }
}
