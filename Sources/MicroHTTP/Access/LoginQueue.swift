/// The passwords that wait for their check.
///
/// The clients take turns; those that have authenticated before have every other turn to themselves.
struct LoginQueue<Job> {
    /// How many clients that have authenticated are remembered.
    static var knownLimit: Int { 64 }

    private var jobs = ClientTurns<Job>()
    /// The last one has authenticated last.
    private var known: [String] = []
    private var isTurnOfKnown = true

    var count: Int { jobs.count }

    mutating func add(_ job: Job, from network: String) { jobs.add(job, from: network) }

    /// Removes the next one.
    mutating func next() -> Job? {
        let (known, isTurnOfKnown) = (known, isTurnOfKnown)
        self.isTurnOfKnown.toggle()
        return jobs.next(of: { known.contains($0) == isTurnOfKnown }) ?? jobs.next()
    }

    /// Removes those that are not wanted any more.
    mutating func removeAll(where isUnwanted: (Job) -> Bool) { jobs.removeAll(where: isUnwanted) }

    /// Notes that a client has authenticated.
    mutating func noteSuccess(of network: String) {
        known.removeAll { $0 == network }
        known.append(network)
        if known.count > Self.knownLimit { known.removeFirst() }
    }
}
