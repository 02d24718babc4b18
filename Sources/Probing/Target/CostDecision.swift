/// What a target's turn costs on the path of this moment: the stricter of the rules that apply.
package enum CostDecision: Sendable, Equatable {
    case run
    /// At ten times its interval.
    case slow
    case skip(SkipReason)

    /// Why a turn was left out: the closed list of the label `reason`.
    package enum SkipReason: String, Sendable, CaseIterable {
        case expensive, constrained
    }

    /// - Parameters:
    ///   - target: whose rules go before the general one.
    ///   - onExpensive: `targets_on_expensive`.
    ///   - surroundings: the path. Being offline is no reason: the target is probed, and fails.
    package init(_ target: Target, onExpensive: CostRule, in surroundings: ProbeSurroundings) {
        let constrained = surroundings.isConstrained ? target.onConstrained ?? .skip : .run
        let expensive = surroundings.isExpensive ? target.onExpensive ?? onExpensive : .run
        self =
            switch (constrained, expensive) {
            case (.skip, _): .skip(.constrained)
            case (_, .skip): .skip(.expensive)
            case (.slow, _), (_, .slow): .slow
            case (.run, .run): .run
            }
    }

    /// How far apart the turns are; a skipped one is counted at its usual pace.
    package func interval(of target: Target) -> Duration {
        self == .slow ? target.interval * 10 : target.interval
    }
}
