package import FoundationEssentials
import NetworkPath
package import Probing
import Statistics

/// Whether a requirement is met, and the reasons if not.
package struct RequirementVerdict: Sendable, Equatable {
    package var requirement: Requirement
    /// Empty when it is met.
    package var reasons: [HealthReason]
    /// nil before the first complete evaluation.
    package var state: HealthState?
    /// nil before the first complete evaluation.
    package var assessment: QualityAssessment?
    /// The exporter of the host, which knows the cost, does not answer.
    package var isHostSilent = false
    /// The one that the requirement is about; nil: the path, or it is not known.
    package var uplink: UplinkReport?
    /// When a held answer will change unless the values do; nil when none is held.
    package var changesIn: Duration?

    init(
        _ requirement: Requirement,
        reasons: [HealthReason] = [],
        state: HealthState? = nil,
        assessment: QualityAssessment? = nil
    ) {
        (self.requirement, self.reasons, self.state, self.assessment) = (requirement, reasons, state, assessment)
    }

    package var passed: Bool { reasons.isEmpty }

    /// What the user can do about the first reason; a missing measurement goes before an estimate that is too low.
    package func recommendation(_ speedTests: SpeedTestAccess = .unknown) -> String {
        let missing = reasons.first == .qualityBelow ? reasons.first(where: \.isMissingMeasurement) : nil
        guard let reason = missing ?? reasons.first else { return HealthReason.sufficient }
        if reason.isMissingMeasurement {
            let isLimited = reason == .unmeasured && isLimited
            let gap = isLimited ? HealthReason.gapOfLimit : reason == .uncertain ? comparison ?? reason.gap : reason.gap
            return "\(gap). \(speedTests.step(for: reason, isLimited: isLimited))"
        }
        if reason == .uplinkUnknown { return ignorance }
        if reason == .costUnknown { return CostGap(state, isHostSilent: isHostSilent).recommendation }
        if reason == .starting, state?.internet?.isHindered == true { return HealthReason.hindered }
        if reason == .starting, state?.internet?.isUnknownToHost == true { return HealthReason.unknownToHost }
        return reason.recommendation(on: state?.connectionType ?? .unknown)
    }
}

extension RequirementVerdict {
    /// Why it is not known whether the uplink works.
    private var ignorance: String {
        let fact = HealthReason.uplinkUnknown.recommendation(on: .unknown)
        if let obstacle = uplink?.obstacle { return "\(fact). \(obstacle.explanation)" }
        guard uplink?.isOnline == nil else { return "\(fact) for the targets, which are probed over the path in use" }
        return "\(fact). No result of a test of it is known"
    }

    /// The speed that is too uncertain beside its limit, as `49 ± 4 Mbit/s measured, 50 needed`; nil where there is none.
    private var comparison: String? {
        let measured = assessment?.measurement
        return measured?.download?.comparison(with: requirement.downloadMinimum)
            ?? measured?.upload?.comparison(with: requirement.uploadMinimum)
    }

    /// Whether there is a fresh speed, but only a lower bound.
    private var isLimited: Bool {
        guard let measurement = assessment?.measurement else { return false }
        let needed = [
            (measurement.download, requirement.downloadMinimum), (measurement.upload, requirement.uploadMinimum),
        ]
        return needed.contains { $0?.isLowerBound == true && $1 > .zero }
    }
}

/// Everything that decides about a requirement at one instant.
package struct RequirementFacts: Sendable {
    /// nil before the first complete evaluation.
    package var state: HealthState?
    /// The latency, jitter and loss of the network; nil: unknown.
    package var latency: NetworkLatency?
    /// The targets that are up.
    package var upTargets: Set<String> = []
    package var unmeasured = Requirement.Unmeasured.estimate
    /// Whether a path of unknown cost counts as expensive.
    package var deniesUnknownCost = true
    /// The exporter of the host is configured and does not answer.
    package var isHostSilent = false
    /// What is known about all uplinks; called only for a requirement about one.
    package var uplinks: @Sendable () -> [UplinkReport] = { [] }
    /// What was measured on an uplink; called only for a requirement about one that is not, or not alone, in use.
    package var evidence: @Sendable (Uplink) -> QualityEvidence = { _ in QualityEvidence() }
    package var date: Date

    package init(state: HealthState?, latency: NetworkLatency? = nil, date: Date) {
        (self.state, self.latency, self.date) = (state, latency, date)
    }
}

extension Requirement {
    /// Whether this requirement is met at one instant, and why not: every answer comes from here.
    package func evaluate(_ facts: RequirementFacts) -> RequirementVerdict {
        uplink.map { evaluate(facts, over: $0) } ?? judge(facts)
    }

    /// By the facts about the path, or about what they call the path.
    func judge(_ facts: RequirementFacts) -> RequirementVerdict {
        let assessment = facts.state?.assessment(at: facts.date, maxAge: maxAge)
        // Every network is at least offline, also one that is not known.
        guard quality != .offline else { return RequirementVerdict(self, state: facts.state, assessment: assessment) }
        guard let state = facts.state, let assessment else { return RequirementVerdict(self, reasons: [.starting]) }
        var verdict = RequirementVerdict(self, state: state, assessment: assessment)
        verdict.isHostSilent = facts.isHostSilent
        if let reason = HealthReason(state) {
            // Without a network no other reason matters.
            verdict.reasons = [reason]
        } else {
            let speed = speed(assessment, state, facts)
            // A limit may be exceeded by a value that lowers the estimate, too.
            verdict.reasons = speed.union(values(facts) + cost(state, facts)).sorted()
        }
        return verdict
    }

    /// By the measurement; without one by the estimate, or not met.
    ///
    /// A lower bound that is below the limit proves nothing: it counts as no measurement.
    private func speed(
        _ assessment: QualityAssessment,
        _ state: HealthState,
        _ facts: RequirementFacts
    ) -> Set<HealthReason> {
        guard needsSpeed || minMeasuredUpload != nil else { return [] }
        var reasons: Set<HealthReason> = []
        let (fresh, known) = (assessment.measurement, state.evidence.measurement)
        let fails = (unmeasured ?? facts.unmeasured) == .fail
        if let required = requiredQuality {
            switch fresh?.download?.meets(downloadMinimum) {
            case true?: break
            case false?: reasons.insert(.throughputBelow)
            case nil where fails: reasons.insert(Self.missing(fresh?.download, known?.download))
            // An estimate promises the least rate of its class alone.
            case nil where assessment.qualityUnmeasured(state, below: downloadMinimum).minRate < downloadMinimum:
                // A measurement could change the answer.
                reasons.insert(Self.missing(fresh?.download, known?.download))
                if fresh?.download == nil {
                    reasons.formUnion(state.reasons(forEstimateBelow: required, downloadMinimum))
                }
            case nil: break
            }
        }
        switch fresh?.upload?.meets(uploadMinimum) {
        case true?: break
        case false?: reasons.insert(.uploadBelow)
        case nil where fails && (minUpload != nil || minMeasuredUpload != nil && known?.upload != nil):
            reasons.insert(Self.missing(fresh?.upload, known?.upload))
        case nil: break
        }
        return reasons
    }

    private static func missing(
        _ fresh: SpeedMeasurement.Speed?,
        _ known: SpeedMeasurement.Speed?
    ) -> HealthReason {
        guard let fresh else { return known == nil ? .unmeasured : .staleMeasurement }
        return fresh.isLowerBound ? .unmeasured : .uncertain
    }

    private func values(_ facts: RequirementFacts) -> [HealthReason] {
        // An unknown value exceeds no limit.
        let latency = facts.latency
        let limits: [(HealthReason, Bool)] = [
            (.latencyAbove, Self.isAbove(latency?.latency, maxLatency)),
            (.jitterAbove, Self.isAbove(latency?.jitter, maxJitter)),
            (.lossAbove, Self.isAbove(latency?.lossRatio, maxLoss)),
            (.targetDown, !facts.upTargets.isSuperset(of: targets)),
        ]
        return limits.filter(\.1).map(\.0)
    }

    private func cost(_ state: HealthState, _ facts: RequirementFacts) -> [HealthReason] {
        let path = state.path
        var reasons: [HealthReason] = []
        if !allowsExpensive {
            if path.isExpensive { reasons.append(.expensive) }
            if path.knownExpensive == nil, facts.deniesUnknownCost { reasons.append(.costUnknown) }
        }
        if !allowsConstrained, path.isConstrained { reasons.append(.constrained) }
        return reasons
    }

    private static func isAbove<Value: Comparable>(_ value: Value?, _ limit: Value?) -> Bool {
        guard let value, let limit else { return false }
        return value > limit
    }
}

extension SpeedMeasurement.Speed {
    /// Whether it is at least so many bits per second, by the ends of its interval.
    ///
    /// - Returns: nil: not known, since the limit is between the ends, or the network may carry more.
    fileprivate func meets(_ minimum: Double) -> Bool? {
        let margin = rate.bitsPerSecond * uncertainty
        if rate.bitsPerSecond - margin >= minimum { return true }
        return isLowerBound || rate.bitsPerSecond + margin >= minimum ? nil : false
    }

    /// nil where it is known whether it meets the minimum, in bits per second.
    fileprivate func comparison(with minimum: Double) -> String? {
        guard minimum > 0, meets(minimum) == nil else { return nil }
        let bits = rate.bitsPerSecond
        let numbers = [bits, bits * uncertainty, minimum].map { ($0 / 1e6).threeDigits }
        return "\(numbers[0]) ± \(numbers[1]) Mbit/s measured, \(numbers[2]) needed"
    }
}

extension QualityAssessment {
    /// The quality by which a requirement is judged that its measurement does not decide: the estimate where the limit is
    /// between the ends of the interval of the speed.
    fileprivate func qualityUnmeasured(_ state: HealthState, below minimum: Double) -> NetworkQuality {
        guard let download = measurement?.download, !download.isLowerBound, download.meets(minimum) == nil else {
            return quality
        }
        return QualityEstimate.quality(of: state.path, state.evidence)
    }
}

extension HealthState {
    /// High latency or loss where the estimate would be sufficient without them; else that the path promises no more.
    ///
    /// Nothing where it promises the quality, and not so many bits per second.
    fileprivate func reasons(forEstimateBelow required: NetworkQuality, _ minimum: Double) -> [HealthReason] {
        var evidence = evidence
        evidence.impairments = []
        let promised = QualityEstimate.quality(of: path, evidence)
        guard promised >= required else { return [.qualityBelow] }
        guard promised.minRate >= minimum else { return [] }
        return self.evidence.impairments.map { $0 == .latency ? .latencyAbove : .lossAbove }
    }
}

extension Double {
    /// As text with three digits, without a fraction of zero.
    fileprivate var threeDigits: String {
        guard self > 0, self < 1e15 else { return "0" }
        var scale = 1.0
        while self * scale < 100, scale < 1e6 { scale *= 10 }
        let value = (self * scale).rounded() / scale
        return value == value.rounded() ? "\(Int64(value))" : "\(value)"
    }
}
