/// Which transfers have libcurl look a name up, in turn: a pure value, with the time handed in.
///
/// Each lookup takes a thread and descriptors that nothing closes at once, so their number is bounded.
struct LookupSlots<ID: Hashable> {
    typealias Instant = ContinuousClock.Instant

    /// A lookup that was given up goes on in its thread until the servers of resolv.conf(5) are used up.
    static var longestLookup: Duration { .seconds(30) }

    private let max: Int
    private var started: [ID: Instant] = [:]
    /// When abandoned lookups end, the earliest first.
    private var abandoned: [Instant] = []
    private var waiting: [(id: ID, since: Instant)] = []
    /// When a lookup last found an address.
    private var lastAnswer: Instant?

    /// What kept a transfer waiting until its time was over.
    enum Obstacle: Equatable {
        /// No lookup found an address meanwhile: the name servers are silent.
        case silence
        /// Other lookups were answered, but too many were asked for.
        case bound
    }

    /// - Parameter max: how many may be under way; at least one.
    init(max: Int) { self.max = Swift.max(1, max) }

    /// Asks for a turn; `next` grants it.
    mutating func ask(_ id: ID, at now: Instant) { waiting.append((id, now)) }

    /// What has kept it waiting so far; nil: it waits for no turn.
    func obstacle(to id: ID) -> Obstacle? {
        guard let since = waiting.first(where: { $0.id == id })?.since else { return nil }
        return lastAnswer.map { $0 >= since } ?? false ? .bound : .silence
    }

    /// Who may start now, in the order of asking.
    mutating func next(at now: Instant) -> ID? {
        abandoned.removeAll { $0 <= now }
        guard started.count + abandoned.count < max, !waiting.isEmpty else { return nil }
        let id = waiting.removeFirst().id
        started[id] = now
        return id
    }

    /// When `next` may grant a turn again; nil: when a lookup ends, or while none waits.
    func nextTurn(at now: Instant) -> Instant? {
        guard !waiting.isEmpty else { return nil }
        return started.count + abandoned.count < max ? now : abandoned.min()
    }

    /// Takes back the turn of one that has its address from the resolver.
    mutating func answered(_ id: ID, at now: Instant) {
        if started[id] != nil { lastAnswer = now }
        end(id, isLookingUp: false, at: now)
    }

    /// Takes back the turn of one that has ended, needs no address or waits no longer.
    ///
    /// libcurl reports an unknown name and the silence of all servers alike: a failed lookup is no answer.
    ///
    /// - Parameters:
    ///   - id: who asked; one that has no turn changes nothing.
    ///   - isLookingUp: whether its thread may still be at work.
    ///   - now: the time.
    mutating func end(_ id: ID, isLookingUp: Bool, at now: Instant) {
        if let start = started.removeValue(forKey: id) {
            let end = start + Self.longestLookup
            if isLookingUp, end > now { abandoned.append(end) }
        } else {
            waiting.removeAll { $0.id == id }
        }
    }
}
