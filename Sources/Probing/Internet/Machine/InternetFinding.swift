/// A state of the internet and what it is put down to.
struct InternetFinding: Sendable, Equatable {
    var state: InternetState
    /// nil while the internet is there, and where the path has to tell: without one, or none that the kernel can use.
    var cause: InternetCause?

    static let online = InternetFinding(state: .online)
    static let captive = InternetFinding(state: .captive, cause: .captive)

    var isOnline: Bool { state.isOnline }

    /// How far packets come with it: of two families, the one that comes farther speaks for both.
    var reach: Int {
        switch (state, cause) {
        case (.online, _): 7
        case (.degraded, _): 6
        case (.captive, _): 5
        case (.dnsBroken, _): 4
        case (.localOnly, .gateway): 2
        case (.localOnly, _): 3
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
    /// | the expected HTTP answer, and nobody in between | online | |
    /// | a portal's answer | captive | captive |
    /// | the expected HTTP answer, but a wrong certificate | captive | captive |
    /// | names do not resolve, a literal address answers | dnsBroken | dns |
    /// | the same, while the other family resolves names: these have no address of this one | unknown | |
    /// | wrong answers only, or none and a living router | localOnly | upstream |
    /// | none, and a silent router | localOnly | gateway |
    /// | the kernel finds no way, and there is no router to ask | noPath | |
    ///
    /// Whoever shows a wrong certificate stands between this host and everybody else, as a portal does that lets the
    /// well-known checks pass: no program that uses HTTPS gets through, so it is no kind of online. A clock that is days
    /// off makes every certificate look wrong and is not held against the network.
    init(_ evidence: FamilyEvidence, otherFamilyResolves: Bool = false) {
        if evidence.https.contains(.success) {
            self = .online
        } else if evidence.checks.contains(.success) {
            let isIntercepted = evidence.https.contains { $0.failure == .tls } && !evidence.isClockWrong
            // A portal may let one well-known check pass; then HTTPS decides, and it has failed if it was asked.
            let isDoubtful = evidence.checks.contains(.portal) && !evidence.https.isEmpty
            self = isIntercepted || isDoubtful ? .captive : .online
        } else if evidence.checks.contains(.portal) {
            self = .captive
        } else if evidence.isUnresolved, evidence.literals.contains(.success) {
            self = otherFamilyResolves ? Self(state: .unknown) : Self(state: .dnsBroken, cause: .dns)
        } else if (evidence.named + evidence.literals).contains(where: \.isAnswered) {
            self.init(state: .localOnly, cause: .upstream)
        } else if evidence.gateways.isEmpty {
            self = evidence.isUnreachable ? Self(state: .noPath) : Self(state: .localOnly, cause: .upstream)
        } else {
            self.init(state: .localOnly, cause: evidence.gateways.contains(.success) ? .upstream : .gateway)
        }
    }
}

/// What one round found for one family.
struct FamilyEvidence: Sendable, Equatable {
    /// The HTTP requests whose answer is known beforehand.
    var checks: [ProbeOutcome] = []
    /// Success: any answer behind a valid certificate.
    var https: [ProbeOutcome] = []
    /// TCP connections to literal addresses.
    var literals: [ProbeOutcome] = []
    /// The routers of this family; empty where none was asked, or there is none.
    var gateways: [ProbeOutcome] = []
    /// Somebody could not be asked for a limit of this machine: what the others say may not be all.
    var isIncomplete = false
    /// This host's clock is days off, so that no certificate seems valid.
    var isClockWrong = false

    /// What went through names, as programs do.
    var named: [ProbeOutcome] { checks + https }

    /// Whether no name could be resolved.
    var isUnresolved: Bool { !named.isEmpty && named.allSatisfy(\.isUnresolved) }

    /// Whether some name could be resolved.
    var isResolved: Bool { named.contains { !$0.isUnresolved } }

    /// Whether every attempt ended at a kernel that knows no way.
    var isUnreachable: Bool {
        let attempts = named.filter { !$0.isUnresolved } + literals
        return !attempts.isEmpty && attempts.allSatisfy { $0.failure == .unreachable }
    }
}
