/// A state of the internet and its cause.
struct InternetFinding: Sendable, Equatable {
    var state: InternetState
    /// nil while online, and where the path is the cause: none, or none that the kernel can use.
    var cause: InternetCause?

    static let online = InternetFinding(state: .online)
    static let captivePortal = InternetFinding(state: .captivePortal, cause: .captivePortal)

    var isOnline: Bool { state.isOnline }

    /// How far packets get: of two families, the one with the higher value decides.
    var reach: Int {
        switch (state, cause) {
        case (.online, _): 7
        case (.degraded, _): 6
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
    /// | the expected HTTP answer, not intercepted | online | |
    /// | a portal's answer | captive | captive |
    /// | the expected HTTP answer, but a wrong certificate | captive | captive |
    /// | names do not resolve, a literal address answers | dnsBroken | dns |
    /// | the same, while the other family resolves names: these have no address of this one | unknown | |
    /// | wrong answers only, or none and a living router, or one that this machine cannot ping | localOnly | upstream |
    /// | none, and a silent router | localOnly | gateway |
    /// | no route in the kernel, and no router to ping | noPath | |
    ///
    /// A wrong certificate means an interception, as by a portal that lets the well-known checks pass: no program that
    /// uses HTTPS gets through, so it is not online. A clock that is days off makes every certificate seem wrong and is
    /// not an interception.
    init(_ evidence: FamilyEvidence, otherFamilyResolves: Bool = false) {
        if evidence.https.contains(.success) {
            self = .online
        } else if evidence.checks.contains(.success) {
            let isIntercepted = evidence.https.contains { $0.failure == .tls } && !evidence.isClockWrong
            // A portal may let one well-known check pass; then HTTPS decides, which has failed here if it was checked.
            let isDoubtful = evidence.checks.contains(.portal) && !evidence.https.isEmpty
            self = isIntercepted || isDoubtful ? .captivePortal : .online
        } else if evidence.checks.contains(.portal) {
            self = .captivePortal
        } else if evidence.isUnresolved, evidence.literals.contains(.success) {
            self = otherFamilyResolves ? Self(state: .unknown) : Self(state: .dnsBroken, cause: .dns)
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
    /// TCP connections to literal addresses.
    var literals: [ProbeOutcome] = []
    /// The routers of this family; empty: none, or not pinged.
    var gateways: [ProbeOutcome] = []
    /// A limit of this machine prevented a check of a host: the other outcomes may not be complete.
    var isIncomplete = false
    /// This host's clock is days off, so that no certificate seems valid.
    var isClockWrong = false

    /// The checks by name.
    var named: [ProbeOutcome] { checks + https }

    /// Whether no name could be resolved.
    var isUnresolved: Bool { !named.isEmpty && named.allSatisfy(\.isUnresolved) }

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
