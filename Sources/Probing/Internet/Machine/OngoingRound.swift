import Posix

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
