/// The requests whose answer is held back until something has happened, and which of them is answered now where there are
/// too many.
struct HeldRequests<ID: Hashable> {
    private let limit: Int
    private let limitPerNetwork: Int
    private var held = ClientTurns<ID>()

    /// - Parameters:
    ///   - limit: How many there may be in all.
    ///   - limitPerNetwork: How many of them one client may have.
    init(limit: Int, limitPerNetwork: Int) {
        self.limit = limit
        self.limitPerNetwork = limitPerNetwork
    }

    /// Adds one, and removes the one that must be answered now in its favour.
    ///
    /// - Parameters:
    ///   - id: It must not be held already.
    ///   - network: Its client; empty for a Unix socket, which counts in the total only.
    /// - Returns: the one that was removed.
    mutating func add(_ id: ID, from network: String) -> ID? {
        held.add(id, from: network)
        if !network.isEmpty, held.count(of: network) > limitPerNetwork { return held.removeOldest(of: network) }
        return held.count > limit ? held.removeOldestOfLargest() : nil
    }

    mutating func remove(_ id: ID) { _ = held.removeFirst { $0 == id } }

    /// The oldest of the client that has the most of some requests.
    func next(among ids: Set<ID>) -> ID? { ids.isEmpty ? nil : held.oldestOfLargest { ids.contains($0) } }
}
