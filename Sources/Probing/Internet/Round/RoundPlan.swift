import Posix

/// Whom one round asks.
struct RoundPlan: Sendable, Equatable {
    /// Counted up: what an older round reports is void.
    var id: UInt64
    var families: [AddressFamily: FamilyPlan]
    /// The routers of the path, of either family.
    var gateways: [ProbeContext.Gateway] = []
    /// The portal's own interface (RFC 8908) to be asked; nil: none is known, or it need not be.
    var portalURI: String?
}

/// How one family is looked at in a round.
struct FamilyPlan: Sendable, Equatable {
    var depth: Depth
    /// HTTPS too, even if the first check succeeds: that is how an interception is seen.
    var asksHTTPS = false
    /// Literal addresses from the start: a moment ago no name could be resolved.
    var asksLiterals = false

    enum Depth: Sendable, Equatable {
        /// All was well: the first check, the other operators only if it fails or keeps silent. What a failure is put
        /// down to is left to the rounds that confirm it.
        case routine
        /// Nothing is known yet: as above, and the cause as well.
        case fresh
        /// The last round failed, or a family is known to be down: everybody at once, so that a round lasts one timeout.
        case confirming
    }

    /// Whether it is more than a look at one server.
    var isThorough: Bool { asksHTTPS || depth != .routine }
}

/// What a round has found so far.
enum RoundReport: Sendable, Equatable {
    /// All there is to one family.
    case family(AddressFamily, FamilyEvidence)
    /// What the portal's own interface says; nil: it did not answer.
    case portal(isCaptive: Bool?)
}

/// A round that has not reported everything yet.
struct OngoingRound: Sendable {
    let plan: RoundPlan
    let start: SuspendingClock.Instant
    private(set) var evidence: [AddressFamily: FamilyEvidence] = [:]
    /// The portal's own interface was asked and did not answer yet.
    private(set) var awaitsPortal: Bool
    /// Its word: this host is held captive.
    private(set) var isCaptive = false
    /// Those whose evidence was taken.
    private var taken: Set<AddressFamily> = []

    init(_ plan: RoundPlan, start: SuspendingClock.Instant) {
        self.plan = plan
        self.start = start
        awaitsPortal = plan.portalURI != nil
    }

    /// Whether there is no more to come.
    var isOver: Bool { isCaptive || !awaitsPortal && evidence.count == plan.families.count }

    mutating func add(_ report: RoundReport) {
        switch report {
        case .family(let family, let evidence) where plan.families[family] != nil: self.evidence[family] = evidence
        case .family: break
        case .portal(let isCaptive):
            awaitsPortal = false
            self.isCaptive = isCaptive ?? false
        }
    }

    /// What may be believed now and was not yet.
    ///
    /// That the internet is there is believed at once, since the other family may take its time to fail; anything else
    /// when all is known. Nothing is believed before the portal was heard.
    mutating func takeFindings() -> [AddressFamily: InternetFinding] {
        guard !awaitsPortal, !isCaptive else { return [:] }
        var findings: [AddressFamily: InternetFinding] = [:]
        for (family, evidence) in evidence where !taken.contains(family) {
            let resolves = self.evidence.contains { $0.key != family && $0.value.isResolved }
            let finding = InternetFinding(evidence, otherFamilyResolves: resolves)
            // Whoever could not be asked might have said otherwise: unknown is not offline.
            guard !evidence.isIncomplete || finding.isOnline || finding.state == .captive else { continue }
            if finding.isOnline || isOver { findings[family] = finding }
        }
        taken.formUnion(findings.keys)
        return findings
    }
}
