/// Keeps an answer from flapping with a value that stands at its limit; pure, with the time handed in.
///
/// Only reasons about values wait. What else stands in the way is told at once, and after it, on another uplink, or with a new
/// measurement, values are taken as they are.
package struct ValueHold: Sendable, Equatable {
    /// What the values were judged on.
    private struct Basis: Equatable {
        var uplink: Uplink?
        var measurement: SpeedMeasurement?
        var isUsable: Bool
    }

    private var basis: Basis?
    private var accepted: [HealthReason] = []
    /// Since when the values say the other thing; nil while they agree.
    private var doubtedSince: Duration?

    package init() {}

    /// The verdict that is told.
    ///
    /// - Parameters:
    ///   - verdict: what the values say at this moment.
    ///   - now: on a clock that is never set.
    /// - Returns: the same, with reasons about values as they were held.
    package mutating func hold(_ verdict: RequirementVerdict, at now: Duration) -> RequirementVerdict {
        let (values, others) = verdict.reasons.split { $0.isAboutValues || $0.isAboutMeasuring }
        let basis = Basis(
            uplink: verdict.state?.uplink,
            measurement: verdict.assessment?.measurement,
            isUsable: verdict.state.map { $0.isOnline == true } ?? false
        )
        let isOtherwise = values.isEmpty != accepted.isEmpty
        if basis != self.basis || !isOtherwise {
            (self.basis, accepted, doubtedSince) = (basis, values, nil)
        } else {
            let since = doubtedSince ?? now
            doubtedSince = since
            if now - since >= verdict.requirement.hold { (accepted, doubtedSince) = (values, nil) }
        }
        var held = verdict
        held.reasons = (accepted + others).sorted()
        held.changesIn = doubtedSince.map { $0 + verdict.requirement.hold - now }
        return held
    }
}

extension HealthReason {
    /// Goes with a reason about values.
    fileprivate var isAboutMeasuring: Bool { self == .unmeasured || self == .staleMeasurement }
}

extension [HealthReason] {
    fileprivate func split(_ isFirst: (HealthReason) -> Bool) -> ([HealthReason], [HealthReason]) {
        (filter(isFirst), filter { !isFirst($0) })
    }
}
