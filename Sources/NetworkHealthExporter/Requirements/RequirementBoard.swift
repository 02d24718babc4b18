import FoundationEssentials
import Locking
import NetworkHealth
import Probing

/// Judges requirements, the same for everybody who asks: `/health`, the metrics, whoever waits.
final class RequirementBoard: Sendable {
    private struct State {
        var section: RequirementsSection
        var requirements: [String: Requirement]
        var latency: NetworkLatency?
        var upTargets: Set<String> = []
        var deniesUnknownCost: Bool
        var holds: [String: ValueHold] = [:]
        /// What was answered last, for as long as nothing has changed that it was judged by.
        var answers: [String: Answer] = [:]
    }

    private struct Answer {
        var verdict: RequirementVerdict
        var version: UInt64
        var until: Date
    }

    /// Told after each look at the network: something may have changed.
    let looks = Broadcast<UInt64>()
    private let monitor: HealthMonitor
    private let stopwatch = Stopwatch(.suspending)
    private let state: Locked<State>

    init(monitor: HealthMonitor, configuration: Configuration) {
        self.monitor = monitor
        state = Locked(
            State(
                section: configuration.requirements,
                requirements: configuration.requirements.byName,
                deniesUnknownCost: configuration.path.unknownExpensive == .deny
            )
        )
    }

    /// Of all requirements that have one, in the order in which they are told.
    var names: [String] { state.withLock { $0.section.names } }

    /// The names that may be asked for, with how to ask for anything else.
    var valid: String { "one of: \(names.joined(separator: ", ")), \(RequirementsSection.custom)&quality=" }

    func requirement(named name: String) -> Requirement? { state.withLock { $0.requirements[name] } }

    /// What holds at this moment for one that has a name; nil for a name that nobody gave.
    func verdict(named name: String) -> RequirementVerdict? {
        let (version, now) = (monitor.version, Date.now)
        return state.withLock { state in
            if let answer = state.answers[name], answer.version == version, now < answer.until { return answer.verdict }
            guard let verdict = verdict(named: name, facts(state), &state) else { return nil }
            state.answers[name] = Answer(verdict: verdict, version: version, until: verdict.validity(at: now))
            return verdict
        }
    }

    /// The same for one that was made up for this question; its values are not held.
    func verdict(of requirement: Requirement) -> RequirementVerdict {
        state.withLock { requirement.judge(facts($0)) }
    }

    /// What holds at this moment for what somebody asks.
    func verdict(_ subject: HealthQuestion.Subject) -> RequirementVerdict {
        switch subject {
        case .made(let requirement): verdict(of: requirement)
        // A reload may have taken it away meanwhile; then it is what it was before the first verdict.
        case .named(let name):
            verdict(named: name) ?? Requirement(name: name).judge(RequirementFacts(state: nil, date: .now))
        }
    }

    /// The first verdict that passes, judged now and at each of `news`; the last one when the time is over.
    ///
    /// What passed is returned as it was judged: a moment later it may be another.
    static func firstVerdict(
        within limit: Duration,
        at news: AsyncStream<some Sendable>,
        _ judge: @escaping @Sendable () -> RequirementVerdict
    ) async -> RequirementVerdict {
        let first = judge()
        guard limit > .zero, !first.passed else { return first }
        return await withTaskGroup(of: RequirementVerdict?.self) { group in
            group.addTask {
                for await _ in news {
                    let verdict = judge()
                    if verdict.passed { return verdict }
                }
                return nil
            }
            group.addTask {
                try? await Task.sleep(for: limit, clock: .suspending)
                return nil
            }
            defer { group.cancelAll() }
            let passed = await group.next() ?? nil
            return passed ?? judge()
        }
    }

    /// Whether each of those that have a name holds, in their order; all of the same instant.
    var satisfied: [Satisfied] {
        state.withLock { state in
            let facts = facts(state)
            return state.section.names.compactMap { name in
                verdict(named: name, facts, &state).map { Satisfied(requirement: name, isSatisfied: $0.passed) }
            }
        }
    }

    /// For metrics.
    struct Satisfied: Sendable, Equatable {
        var requirement: String
        var isSatisfied: Bool
    }

    func apply(_ configuration: Configuration) {
        state.withLock { state in
            let new = configuration.requirements
            // One that was redefined begins anew.
            let byName = new.byName
            state.holds = state.holds.filter { state.requirements[$0.key] == byName[$0.key] }
            (state.section, state.requirements) = (new, byName)
            state.deniesUnknownCost = configuration.path.unknownExpensive == .deny
            state.answers = [:]
        }
    }

    /// Takes in what is not an event, and looks at all of them, so that a hold begins when its reason does.
    func look(latency: NetworkLatency?, upTargets: Set<String>) {
        state.withLock { state in
            (state.latency, state.upTargets, state.answers) = (latency, upTargets, [:])
            let facts = facts(state)
            for name in state.section.names { _ = verdict(named: name, facts, &state) }
        }
        looks.send((looks.current ?? 0) &+ 1)
    }

    private func facts(_ state: State) -> RequirementFacts {
        var facts = RequirementFacts(state: monitor.current, latency: state.latency, date: .now)
        facts.upTargets = state.upTargets
        facts.unmeasured = state.section.unmeasured
        facts.deniesUnknownCost = state.deniesUnknownCost
        return facts
    }

    private func verdict(named name: String, _ facts: RequirementFacts, _ state: inout State) -> RequirementVerdict? {
        guard let requirement = state.requirements[name] else { return nil }
        return state.holds[name, default: ValueHold()].hold(requirement.judge(facts), at: stopwatch.elapsed)
    }
}
