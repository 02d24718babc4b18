/// Keeps an answer from flapping with a value around its limit; pure, with the time as a parameter.
///
/// Only reasons about values are held. After any other reason, on another uplink, or with a new measurement, the values count
/// immediately.
package struct ValueHold: Sendable, Equatable {
    /// What the values were evaluated on.
    private struct Basis: Equatable {
        var uplink: Uplink?
        var measurement: SpeedMeasurement?
        var isUsable: Bool
    }

    private var basis: Basis?
    private var accepted: [HealthReason] = []
    /// Since when the values contradict the accepted reasons; nil while they agree.
    private var doubtedSince: Duration?

    package init() {}

    /// The verdict to report.
    ///
    /// - Parameters:
    ///   - verdict: by the values of this moment.
    ///   - now: on a monotonic clock.
    /// - Returns: the verdict, with the held reasons about values.
    package mutating func hold(_ verdict: consuming RequirementVerdict, at now: Duration) -> RequirementVerdict {
        // What was not measured accompanies a reason about values.
        let (values, others) = verdict.reasons.split { $0.isAboutValues || $0.isMissingMeasurement }
        let basis = Basis(
            uplink: verdict.state?.uplink,
            measurement: verdict.assessment?.measurement,
            isUsable: verdict.state?.isOnline == true
        )
        let isOtherwise = values.isEmpty != accepted.isEmpty
        if basis != self.basis || !isOtherwise {
            (self.basis, accepted, doubtedSince) = (basis, values, nil)
        } else {
            let since = doubtedSince ?? now
            doubtedSince = since
            if now - since >= verdict.requirement.hold { (accepted, doubtedSince) = (values, nil) }
        }
        let length = verdict.requirement.hold
        verdict.reasons = (accepted + others).sorted()
        verdict.changesIn = doubtedSince.map { $0 + length - now }
        return verdict
    }
}

extension [HealthReason] {
    fileprivate func split(_ isFirst: (HealthReason) -> Bool) -> ([HealthReason], [HealthReason]) {
        (filter(isFirst), filter { !isFirst($0) })
    }
}
