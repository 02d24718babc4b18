/// The requests whose answer is held back until something has happened, and which of them is answered now where there are
/// too many.
///
/// A client is an IPv4 address or an IPv6 /64: one host can use all addresses of its /64.
struct HeldRequests<ID: Hashable> {
    private let limit: Int
    private let limitPerNetwork: Int
    /// The oldest first.
    private var held: [(id: ID, network: String)] = []
    private var counts: [String: Int] = [:]

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
        held.append((id, network))
        counts[network, default: 0] += 1
        let released: ID?
        if !network.isEmpty, counts[network, default: 0] > limitPerNetwork {
            released = held.first { $0.network == network }?.id
        } else {
            released = held.count > limit ? next { _ in true } : nil
        }
        if let released { remove(released) }
        return released
    }

    mutating func remove(_ id: ID) {
        guard let index = held.firstIndex(where: { $0.id == id }) else { return }
        let network = held.remove(at: index).network
        let count = counts[network, default: 0] - 1
        counts[network] = count > 0 ? count : nil
    }

    /// The oldest of the client that has the most of some requests.
    func next(among ids: Set<ID>) -> ID? { ids.isEmpty ? nil : next { ids.contains($0) } }

    private func next(where isCandidate: (ID) -> Bool) -> ID? {
        var next: (id: ID, count: Int)?
        for entry in held where isCandidate(entry.id) {
            let count = counts[entry.network, default: 0]
            if count > next?.count ?? 0 { next = (entry.id, count) }
        }
        return next?.id
    }
}
