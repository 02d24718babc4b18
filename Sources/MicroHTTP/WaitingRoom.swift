/// Accepted connections for which there is no place yet; a client that has sent something goes before one that is silent.
///
/// A connection that waits costs a descriptor and what the kernel keeps of it: no memory in libmicrohttpd, and no handshake.
struct WaitingRoom<Connection> {
    /// A connection, by its descriptor.
    struct Arrival {
        let number: Int32
        let network: String
        let since: ContinuousClock.Instant
        let connection: Connection
    }

    private let limit: Int
    private var arrivals = ClientTurns<Arrival>()
    /// Those that have sent something.
    private var ready: Set<Int32> = []

    init(limit: Int) { self.limit = limit }

    var isEmpty: Bool { arrivals.isEmpty }

    /// Whether one of them can be served as soon as there is a place.
    var hasReady: Bool { !ready.isEmpty }

    /// The descriptors of those that have sent nothing.
    var silent: [Int32] { arrivals.all.map(\.number).filter { !ready.contains($0) } }

    /// Adds one, and removes the one for which there is no room: a silent one if there is any, the oldest one of the client
    /// that has the most.
    mutating func add(_ arrival: Arrival) -> Arrival? {
        arrivals.add(arrival, from: arrival.network)
        guard arrivals.count > limit else { return nil }
        let ready = ready
        return forget(arrivals.removeOldestOfLargest { !ready.contains($0.number) } ?? arrivals.removeOldestOfLargest())
    }

    /// Notes that one has sent something.
    mutating func noteReady(_ number: Int32) { ready.insert(number) }

    mutating func remove(_ number: Int32) -> Arrival? { forget(arrivals.removeFirst { $0.number == number }) }

    /// Removes the next one that is admitted, by turns of the clients; only among those that are ready, or that are not.
    mutating func next(isReady: Bool, where isAdmitted: (Arrival) -> Bool) -> Arrival? {
        let ready = ready
        return forget(arrivals.next(where: { ready.contains($0.number) == isReady && isAdmitted($0) }))
    }

    /// Removes all that came at a time or before.
    mutating func removeAll(since end: ContinuousClock.Instant) -> [Arrival] {
        let late = arrivals.all.filter { $0.since <= end }
        arrivals.removeAll { $0.since <= end }
        for arrival in late { ready.remove(arrival.number) }
        return late
    }

    private mutating func forget(_ arrival: Arrival?) -> Arrival? {
        if let arrival { ready.remove(arrival.number) }
        return arrival
    }
}
