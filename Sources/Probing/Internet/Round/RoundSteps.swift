import Posix

/// The course of one family's round as a pure value: the first checks, the next ones, and when it is over.
struct RoundSteps: Sendable {
    /// One check; the numbers are indices of the configuration's lists and of the family's routers.
    enum Step: Sendable, Hashable {
        case check(Int)
        case https(Int)
        /// The same in small segments, which a path that carries no full packets carries.
        case smallHTTPS(Int)
        case literal(Int)
        case gateway(Int)
    }

    private(set) var evidence = FamilyEvidence()
    private let plan: FamilyPlan
    private let checks: [Step]
    private let https: [Step]
    private let literals: [Step]
    private let gateways: [Step]
    private var asked: Set<Step> = []
    private var pending: Set<Step> = []
    private var isWidened = false

    /// - Parameters:
    ///   - plan: how the family is checked.
    ///   - checks: how many there are.
    ///   - https: the hosts of which each but the first is asked only after the one before was not trusted, by index.
    ///   - literals: those that are of this family, by index.
    ///   - gateways: how many routers of this family there are.
    init(_ plan: FamilyPlan, checks: Int, https: [Int], literals: [Int], gateways: Int) {
        self.plan = plan
        self.checks = (0..<checks).map(Step.check)
        self.https = https.map(Step.https)
        self.literals = literals.map(Step.literal)
        self.gateways = (0..<gateways).map(Step.gateway)
    }

    /// Whether further outcomes cannot change the finding.
    var isOver: Bool {
        // A literal decides only where no name leads to a server.
        isConclusive || pending.allSatisfy { literals.contains($0) && !evidence.leadsNowhere }
    }

    /// Whether more operators can be checked if a server does not answer.
    var canWiden: Bool { !isWidened }

    /// The first checks.
    mutating func begin() -> [Step] {
        if plan.depth == .confirming { return widen() }
        let first = ask(Array(checks.prefix(1)) + (plan.asksHTTPS ? https.prefix(1) : []))
        return first.isEmpty ? widen() : first
    }

    /// Takes the outcome of a check, nil if it was cancelled, and returns the next checks.
    mutating func finished(_ step: Step, _ outcome: ProbeOutcome?) -> [Step] {
        pending.remove(step)
        if let outcome { note(outcome, of: step) }
        let second = outcome?.distrust != nil ? askSecond(after: step) : []
        guard !isConclusive, !isAskingByName else { return second }
        return isWidened ? [] : widen()
    }

    /// After a third of the timeout, the other operators are checked, too; where HTTP passes and only HTTPS is silent, in
    /// small segments.
    mutating func widenAfterWait() -> [Step] {
        guard !isOver else { return [] }
        let silent = evidence.checks.contains(.success) ? pending.filter(https.contains) : []
        return ask(silent.compactMap(\.inSmallSegments)) + (isWidened ? [] : widen())
    }

    /// Whether the running checks cannot change the finding.
    private var isConclusive: Bool {
        // Behind a portal its answer is enough, and that of one server is not.
        if plan.depth == .portal, !isWidened { return evidence.checks == [.portal] }
        if evidence.https.contains(.success) { return true }
        guard !pending.contains(where: { https.contains($0) || $0.isInSmallSegments }) else { return false }
        if evidence.checks.contains(.success) { return true }
        return evidence.leadsNowhere && evidence.literals.contains(.success) && !isAskingByName
    }

    private var isAskingByName: Bool { pending.contains { checks.contains($0) || https.contains($0) } }

    private mutating func widen() -> [Step] {
        isWidened = true
        // Literals before it is known whether they decide: whether names alone fail has to be known from the first round on, since two have to agree.
        return ask(checks + https.prefix(1) + (plan.depth == .routine ? [] : gateways) + literals)
    }

    /// The HTTPS host of another operator; two decide.
    private mutating func askSecond(after step: Step) -> [Step] {
        guard let index = https.firstIndex(of: step), evidence.https.count(where: { $0.distrust != nil }) < 2 else {
            return []
        }
        return ask(Array(https.dropFirst(index + 1).prefix(1)))
    }

    /// Those that were not started yet.
    private mutating func ask(_ steps: [Step]) -> [Step] {
        let new = steps.filter { !asked.contains($0) }
        asked.formUnion(new)
        pending.formUnion(new)
        return new
    }

    private mutating func note(_ outcome: ProbeOutcome, of step: Step) {
        switch step {
        case .check: evidence.checks.append(outcome)
        case .https: evidence.https.append(outcome)
        case .smallHTTPS: evidence.smallHTTPS.append(outcome)
        case .literal: evidence.literals.append(outcome)
        case .gateway: evidence.gateways.append(outcome)
        }
    }
}

extension RoundSteps.Step {
    fileprivate var inSmallSegments: Self? { if case .https(let index) = self { .smallHTTPS(index) } else { nil } }

    fileprivate var isInSmallSegments: Bool { if case .smallHTTPS = self { true } else { false } }
}
