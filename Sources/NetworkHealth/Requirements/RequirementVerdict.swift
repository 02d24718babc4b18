package import FoundationEssentials

/// Whether a requirement holds, and why not.
package struct RequirementVerdict: Sendable, Equatable {
    package var requirement: Requirement
    /// Empty where it holds.
    package var reasons: [HealthReason]
    /// nil before the first complete evaluation.
    package var state: HealthState?
    /// nil before the first complete evaluation.
    package var assessment: QualityAssessment?
    /// When a held answer changes if the values stay as they are; nil where none is held.
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

    /// Until when it holds if nothing happens: a measurement grows old, and a hold ends, without any event.
    package func validity(at date: Date) -> Date {
        let end = changesIn.map { date + $0 / .seconds(1) } ?? .distantFuture
        guard let measured = assessment?.measurement, let maxAge = requirement.maxAge ?? state?.evidence.maxAge
        else { return end }
        return [measured.download, measured.upload].compactMap(\.self).map { $0.measuredAt + maxAge / .seconds(1) }
            .reduce(end, min)
    }

    /// What to do about it.
    package var recommendation: String { reasons.first?.recommendation ?? HealthReason.sufficient }
}
