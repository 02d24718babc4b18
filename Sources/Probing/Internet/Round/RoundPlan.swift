import Posix

/// The checks of one round.
struct RoundPlan: Sendable, Equatable {
    /// Ascending: the reports of an older round are void.
    var id: UInt64
    var families: [AddressFamily: FamilyPlan]
    /// The routers of the path, of either family.
    var gateways: [ProbeContext.Gateway] = []
    /// The API of a portal (RFC 8908) to query; nil: none is known, or not needed.
    var portalURI: String?
}

/// How one family is checked in a round.
struct FamilyPlan: Sendable, Equatable {
    var depth: Depth
    /// HTTPS, too, even if the first check succeeds: this detects an interception.
    var asksHTTPS = false

    enum Depth: Sendable, Equatable {
        /// Online: the first check, the other operators only if it fails or does not answer. The rounds that confirm a
        /// failure find its cause.
        case routine
        /// Nothing is known yet: as above, with the cause.
        case fresh
        /// The last round failed, or the family is down: all checks at once, so that a round lasts one timeout.
        case confirming
        /// A portal was there and nothing is news: the first check, all others only if no portal answers it.
        case portal
    }

    /// Whether it is more than a check of one server.
    var isThorough: Bool { asksHTTPS || depth != .routine }
}

/// A report of a round.
enum RoundReport: Sendable, Equatable {
    /// The evidence of one family.
    case family(AddressFamily, FamilyEvidence)
    /// The answer of the API of a portal; nil: none.
    case portal(isCaptive: Bool?)
}

/// A round that is not complete yet.
struct OngoingRound: Sendable {
    let plan: RoundPlan
    let start: SuspendingClock.Instant
    private(set) var evidence: [AddressFamily: FamilyEvidence] = [:]
    /// The API of the portal was queried and has not answered yet.
    private(set) var awaitsPortal: Bool
    /// Its answer: this host is captive.
    private(set) var isCaptive = false
    /// Those whose finding was taken.
    private var taken: Set<AddressFamily> = []

    init(_ plan: RoundPlan, start: SuspendingClock.Instant) {
        self.plan = plan
        self.start = start
        awaitsPortal = plan.portalURI != nil
    }

    /// Whether no more reports will come.
    var isOver: Bool { isCaptive || !awaitsPortal && evidence.count == plan.families.count }

    /// The families without a finding because a limit of this machine ended their checks.
    var hindered: Set<AddressFamily> {
        isCaptive ? [] : Set(evidence.filter { $0.value.isIncomplete && !taken.contains($0.key) }.keys)
    }

    mutating func add(_ report: RoundReport) {
        switch report {
        case .family(let family, let evidence) where plan.families[family] != nil: self.evidence[family] = evidence
        case .family: break
        case .portal(let isCaptive):
            awaitsPortal = false
            self.isCaptive = isCaptive ?? false
        }
    }

    /// The findings that can be adopted now and were not yet.
    ///
    /// Online is adopted at once, since the other family may take long to fail; any other finding when the round is
    /// complete. Nothing is adopted before the portal has answered.
    mutating func takeFindings(
        untrustedTLS: InternetConfiguration.UntrustedTLS
    ) -> [AddressFamily: InternetFinding] {
        guard !awaitsPortal, !isCaptive else { return [:] }
        var findings: [AddressFamily: InternetFinding] = [:]
        for (family, evidence) in evidence where !taken.contains(family) {
            let others = self.evidence.filter { $0.key != family }.values
            let finding = InternetFinding(
                evidence,
                otherFamilyResolves: others.contains(where: \.isResolved),
                otherFamilyAnswers: others.contains(where: \.isAnswered),
                untrustedTLS: untrustedTLS
            )
            // The checks that could not be made might have succeeded: unknown is not offline.
            guard !evidence.isIncomplete || finding.isOnline || finding.state == .captivePortal else { continue }
            if finding == .online || isOver { findings[family] = finding }
        }
        taken.formUnion(findings.keys)
        return findings
    }
}
