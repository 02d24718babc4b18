import Coordination
import FoundationEssentials
import NetworkHealth
import Probing

/// Evaluates the requirements at each change of the state: one answer for `/health`, the metrics and waiting clients.
///
/// It observes the monitor, on the thread that brings the change. A waiting client is resumed with the verdict that ended
/// its wait, and that verdict is not evaluated again.
final class RequirementEvaluator: Sendable {
    private struct State {
        var section: RequirementsSection
        var requirements: [String: Requirement]
        var deniesUnknownCost: Bool
        /// Those of the configuration.
        var uplinkNames: [String]
        var latency: NetworkLatency?
        var holds: [String: ValueHold] = [:]
        var waits: [UInt64: Wait] = [:]
        var nextWait: UInt64 = 0

        init(_ configuration: Configuration) {
            section = configuration.requirements
            requirements = section.byName
            deniesUnknownCost = configuration.requirements.costUnknown != .allow
            uplinkNames = configuration.uplinks.map(\.name)
        }
    }

    /// A client that waits until a requirement is met; there are as many as the server has connections, at most.
    private struct Wait: Sendable {
        var subject: HealthQuestion.Subject
        var client: CheckedContinuation<RequirementVerdict, Never>
        /// By the stopwatch.
        var end: Duration
    }

    private let monitor: HealthMonitor
    private let upTargets: @Sendable () -> Set<String>
    private let isHostSilent: @Sendable () -> Bool
    private let uplinks: @Sendable () -> [UplinkReport]
    private let stopwatch = Stopwatch(.suspending)
    private let state: Locked<State>
    private let wakeUps: WakeUps

    /// - Parameters:
    ///   - monitor: its state decides, and each change of it leads to an evaluation.
    ///   - configuration: the requirements, and what an unknown cost means.
    ///   - upTargets: the names of the targets that are up; called under this object's lock.
    ///   - isHostSilent: whether the exporter of the host is configured and does not answer; called under this object's lock.
    ///   - uplinks: what is known about all uplinks; called under this object's lock.
    init(
        monitor: HealthMonitor,
        configuration: Configuration,
        upTargets: @escaping @Sendable () -> Set<String> = { [] },
        isHostSilent: @escaping @Sendable () -> Bool = { false },
        uplinks: @escaping @Sendable () -> [UplinkReport] = { [] }
    ) {
        (self.monitor, self.isHostSilent, self.upTargets) = (monitor, isHostSilent, upTargets)
        self.uplinks = uplinks
        state = Locked(State(configuration))
        wakeUps = WakeUps(stopwatch)
        monitor.observe { [weak self] _ in self?.evaluate() }
    }

    // MARK: Verdicts

    /// The names of all requirements, the built-in ones first.
    var names: [String] { state.withLock { $0.section.names } }

    /// The requirements that a client can name, for an error message.
    var valid: String { "one of: \(names.joined(separator: ", ")), \(RequirementsSection.custom)&quality=" }

    /// The uplinks that a client can name: those of the configuration, also before they are found, and those that are there.
    var uplinkNames: [String] {
        let own = state.withLock { $0.uplinkNames }
        return own + uplinks().map(\.name).filter { !own.contains($0) }
    }

    func requirement(named name: String) -> Requirement? { state.withLock { $0.requirements[name] } }

    /// The verdict of this moment; a named requirement that a reload removed is `starting`.
    func verdict(_ subject: HealthQuestion.Subject) -> RequirementVerdict {
        state.withLock { verdict(subject, &$0) }
    }

    /// Whether what is sent now meets a named requirement: that of an uplink also needs all traffic to leave over it.
    func isMetBySending(_ name: String) -> Bool {
        let verdict = verdict(.named(name))
        guard verdict.passed, let uplink = verdict.uplink else { return verdict.passed }
        return monitor.current.map { uplink.carriesAll(of: $0.path, among: uplinks()) } ?? false
    }

    /// The first verdict that passes, else the one when the time is over or the task is cancelled.
    func verdict(_ subject: HealthQuestion.Subject, within limit: Duration) async -> RequirementVerdict {
        guard limit > .zero else { return verdict(subject) }
        let end = stopwatch.elapsed + limit
        let id = state.withLock { state in
            defer { state.nextWait += 1 }
            return state.nextWait
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { client in
                let now = state.withLock { state -> RequirementVerdict? in
                    let verdict = verdict(subject, &state)
                    // Read under the lock: a later cancellation finds the wait, an earlier one is seen here.
                    guard !verdict.passed, !Task.isCancelled else { return verdict }
                    state.waits[id] = Wait(subject: subject, client: client, end: end)
                    return nil
                }
                if let now { return client.resume(returning: now) }
                wakeUps.request(at: end) { [weak self] in self?.endWaits() }
            }
        } onCancel: {
            endWait(id)
        }
    }

    /// How many clients wait.
    var waitCount: Int { state.withLock { $0.waits.count } }

    /// How many timers there are for them, and for earlier ones.
    var timerCount: Int { wakeUps.ends.count }

    /// Whether each named requirement is met, in the order of `names`; all at one instant.
    var satisfied: [Satisfied] {
        state.withLock { state in
            let facts = facts(state)
            return state.section.names.compactMap { name in
                hold(name, facts, &state).map { Satisfied(requirement: $0.requirement, isSatisfied: $0.passed) }
            }
        }
    }

    /// For the metrics.
    struct Satisfied: Sendable, Equatable {
        var requirement: Requirement
        var isSatisfied: Bool
    }

    // MARK: Changes

    func apply(_ configuration: Configuration) {
        state.withLock { state in
            var new = State(configuration)
            // A hold starts again with a new definition.
            new.holds = state.holds.filter { state.requirements[$0.key] == new.requirements[$0.key] }
            (new.latency, new.waits, new.nextWait) = (state.latency, state.waits, state.nextWait)
            state = new
        }
        evaluate()
    }

    /// Takes the latency and loss of the network, which no event reports.
    func refresh(latency: NetworkLatency?) {
        state.withLock { $0.latency = latency }
        evaluate()
    }

    /// Evaluates every requirement, so that a hold begins with its reason, and ends the waits whose requirement is met.
    func evaluate() {
        let ended = state.withLock { state in
            let facts = facts(state)
            var verdicts: [String: RequirementVerdict] = [:]
            for name in state.section.names { verdicts[name] = hold(name, facts, &state) }
            return state.waits.compactMap { id, wait -> (wait: Wait, verdict: RequirementVerdict)? in
                let verdict =
                    switch wait.subject {
                    case .made(let requirement): requirement.evaluate(facts)
                    case .named(let name): verdicts[name]
                    }
                guard let verdict, verdict.passed else { return nil }
                state.waits[id] = nil
                return (wait, verdict)
            }
        }
        for (wait, verdict) in ended { wait.client.resume(returning: verdict) }
    }

    /// Ends the waits whose time is over; returns the end of the next one.
    private func endWaits() -> Duration? {
        let now = stopwatch.elapsed
        for id in state.withLock({ $0.waits.filter { $0.value.end <= now }.keys }) { endWait(id) }
        return state.withLock { $0.waits.values.map(\.end).min() }
    }

    private func endWait(_ id: UInt64) {
        let ended = state.withLock { state in
            state.waits.removeValue(forKey: id).map { (wait: $0, verdict: verdict($0.subject, &state)) }
        }
        if let ended { ended.wait.client.resume(returning: ended.verdict) }
    }

    // MARK: Under the lock

    /// One made of query parameters has no hold.
    private func verdict(_ subject: HealthQuestion.Subject, _ state: inout State) -> RequirementVerdict {
        let facts = facts(state)
        return switch subject {
        case .made(let requirement): requirement.evaluate(facts)
        case .named(let name):
            hold(name, facts, &state)
                ?? Requirement(name: name).evaluate(RequirementFacts(state: nil, date: facts.date))
        }
    }

    private func hold(_ name: String, _ facts: RequirementFacts, _ state: inout State) -> RequirementVerdict? {
        guard let requirement = state.requirements[name] else { return nil }
        return state.holds[name, default: ValueHold()].hold(requirement.evaluate(facts), at: stopwatch.elapsed)
    }

    private func facts(_ state: State) -> RequirementFacts {
        var facts = RequirementFacts(state: monitor.current, latency: state.latency, date: .now)
        if state.requirements.values.contains(where: { !$0.targets.isEmpty }) { facts.upTargets = upTargets() }
        facts.unmeasured = state.section.unmeasured
        facts.deniesUnknownCost = state.deniesUnknownCost
        facts.isHostSilent = isHostSilent()
        (facts.uplinks, facts.evidence) = (uplinks, { [monitor] in monitor.evidence(of: $0) })
        return facts
    }
}
