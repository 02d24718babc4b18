import Probing
import Testing

struct CostDecisionTests {
    private static func decision(
        _ onExpensive: CostRule?,
        _ onConstrained: CostRule?,
        default general: CostRule = .slow,
        expensive: Bool,
        constrained: Bool,
        connected: Bool = true
    ) -> CostDecision {
        var target = Target.make("t")
        (target.onExpensive, target.onConstrained) = (onExpensive, onConstrained)
        let context = ProbeContext(
            isConnected: connected,
            isExpensive: expensive,
            isConstrained: constrained
        )
        return CostDecision(target, onExpensive: general, in: context)
    }

    @Test(arguments: CostRule.allCases)
    func `A path without cost runs all targets, also offline`(rule: CostRule) {
        for connected in [true, false] {
            let found = Self.decision(
                rule,
                rule,
                default: rule,
                expensive: false,
                constrained: false,
                connected: connected
            )
            #expect(found == .run)
        }
    }

    @Test(arguments: zip(CostRule.allCases, [CostDecision.run, .slow, .skip(.expensive)]))
    func `on an expensive path the target's own rule goes before the general one`(
        rule: CostRule,
        expected: CostDecision
    ) {
        #expect(Self.decision(nil, nil, default: rule, expensive: true, constrained: false) == expected)
        for general in CostRule.allCases {
            #expect(Self.decision(rule, nil, default: general, expensive: true, constrained: false) == expected)
        }
    }

    @Test func `A constrained path skips a target without a rule`() {
        #expect(Self.decision(nil, nil, default: .run, expensive: false, constrained: true) == .skip(.constrained))
        #expect(Self.decision(.run, nil, expensive: false, constrained: true) == .skip(.constrained))
        #expect(Self.decision(nil, .run, default: .skip, expensive: false, constrained: true) == .run)
        #expect(Self.decision(nil, .slow, default: .run, expensive: false, constrained: true) == .slow)
    }

    @Test func `If both hold, the stricter rule decides, and the reason is constrained`() {
        #expect(Self.decision(.skip, nil, expensive: true, constrained: true) == .skip(.constrained))
        #expect(Self.decision(.skip, .run, expensive: true, constrained: true) == .skip(.expensive))
        #expect(Self.decision(.slow, .run, expensive: true, constrained: true) == .slow)
        #expect(Self.decision(.run, .slow, expensive: true, constrained: true) == .slow)
        #expect(Self.decision(.run, .run, expensive: true, constrained: true) == .run)
    }

    @Test func `Slow is ten times the interval, and skipped probes are counted at the usual interval`() {
        let target = Target.make("t", every: .seconds(3))
        #expect(CostDecision.run.interval(of: target) == .seconds(3))
        #expect(CostDecision.slow.interval(of: target) == .seconds(30))
        #expect(CostDecision.skip(.expensive).interval(of: target) == .seconds(3))
    }
}
