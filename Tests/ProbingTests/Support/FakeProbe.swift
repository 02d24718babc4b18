import Probing

/// Answers what it is told to.
struct FakeProbe: Probe {
    var answer: @Sendable (Target, ProbeSurroundings) async -> ProbeResult

    init(_ answer: @escaping @Sendable (Target, ProbeSurroundings) async -> ProbeResult) { self.answer = answer }

    func probe(_ target: Target, in surroundings: ProbeSurroundings) async -> ProbeResult {
        await answer(target, surroundings)
    }
}

extension ProbeTable {
    /// The same one for every kind.
    init(all probe: any Probe) { self.init(icmp: probe, tcp: probe, dns: probe, http: probe, graphql: probe) }
}
