/// The passwords that wait for their check.
///
/// The clients take turns, so that one that sends many does not keep others waiting; those that have authenticated before
/// have every other turn to themselves. A client is an IPv4 address or an IPv6 /64.
struct LoginQueue<Job> {
    /// How many clients that have authenticated are remembered.
    static var knownLimit: Int { 64 }

    private var jobs: [String: [Job]] = [:]
    /// The clients of `jobs`, in the order of their turns.
    private var turns: [String] = []
    /// The last one has authenticated last.
    private var known: [String] = []
    private var isTurnOfKnown = true

    private(set) var count = 0

    mutating func add(_ job: Job, from network: String) {
        if jobs[network] == nil { turns.append(network) }
        jobs[network, default: []].append(job)
        count += 1
    }

    /// Removes the next one.
    mutating func next() -> Job? {
        let preferred = turns.firstIndex { known.contains($0) == isTurnOfKnown }
        isTurnOfKnown.toggle()
        guard !turns.isEmpty else { return nil }
        let network = turns.remove(at: preferred ?? 0)
        guard var own = jobs[network], !own.isEmpty else { return nil }
        let job = own.removeFirst()
        jobs[network] = own.isEmpty ? nil : own
        if !own.isEmpty { turns.append(network) }
        count -= 1
        return job
    }

    /// Removes those that are not wanted any more.
    mutating func removeAll(where isUnwanted: (Job) -> Bool) {
        for network in turns { jobs[network]?.removeAll(where: isUnwanted) }
        jobs = jobs.filter { !$0.value.isEmpty }
        turns.removeAll { jobs[$0] == nil }
        count = jobs.values.reduce(0) { $0 + $1.count }
    }

    /// Notes that a client has authenticated.
    mutating func noteSuccess(of network: String) {
        known.removeAll { $0 == network }
        known.append(network)
        if known.count > Self.knownLimit { known.removeFirst() }
    }
}
