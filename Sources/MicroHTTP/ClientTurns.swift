/// Things that wait, by the client to which they belong: an IPv4 address or an IPv6 /64.
///
/// The clients take turns, so that one that has many does not keep others waiting. Those of one client are in the order in
/// which they came.
struct ClientTurns<Element> {
    private var waiting: [String: [Element]] = [:]
    /// The clients of `waiting`, in the order of their turns.
    private var turns: [String] = []

    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// All of them, client by client.
    var all: [Element] { turns.flatMap { waiting[$0] ?? [] } }

    func count(of network: String) -> Int { waiting[network]?.count ?? 0 }

    mutating func add(_ element: Element, from network: String) {
        if waiting[network] == nil { turns.append(network) }
        waiting[network, default: []].append(element)
        count += 1
    }

    /// Removes the next one: the oldest that is due of the first client in turn that has one.
    mutating func next(
        of isTurn: (String) -> Bool = { _ in true },
        where isDue: (Element) -> Bool = { _ in true }
    ) -> Element? {
        for (position, network) in turns.enumerated() where isTurn(network) {
            guard let index = waiting[network]?.firstIndex(where: isDue) else { continue }
            turns.append(turns.remove(at: position))
            return remove(at: index, of: network)
        }
        return nil
    }

    /// Removes one out of turn.
    mutating func removeFirst(where isWanted: (Element) -> Bool) -> Element? {
        for network in turns {
            if let index = waiting[network]?.firstIndex(where: isWanted) { return remove(at: index, of: network) }
        }
        return nil
    }

    /// The oldest of some, of the client that has the most of all that wait.
    func oldestOfLargest(where isCandidate: (Element) -> Bool) -> Element? {
        largest(where: isCandidate).flatMap { waiting[$0]?.first(where: isCandidate) }
    }

    /// Removes what ``oldestOfLargest(where:)`` returns.
    mutating func removeOldestOfLargest(where isCandidate: (Element) -> Bool = { _ in true }) -> Element? {
        largest(where: isCandidate).flatMap { removeOldest(of: $0, where: isCandidate) }
    }

    mutating func removeOldest(
        of network: String,
        where isCandidate: (Element) -> Bool = { _ in true }
    ) -> Element? {
        waiting[network]?.firstIndex(where: isCandidate).flatMap { remove(at: $0, of: network) }
    }

    mutating func removeAll(where isUnwanted: (Element) -> Bool) {
        for network in turns { waiting[network]?.removeAll(where: isUnwanted) }
        waiting = waiting.filter { !$0.value.isEmpty }
        turns.removeAll { waiting[$0] == nil }
        count = waiting.values.reduce(0) { $0 + $1.count }
    }

    private func largest(where isCandidate: (Element) -> Bool) -> String? {
        var largest: (network: String, count: Int)?
        for network in turns {
            guard let own = waiting[network], own.count > largest?.count ?? 0, own.contains(where: isCandidate) else {
                continue
            }
            largest = (network, own.count)
        }
        return largest?.network
    }

    private mutating func remove(at index: Int, of network: String) -> Element? {
        let element = waiting[network]?.remove(at: index)
        count -= 1
        if waiting[network]?.isEmpty ?? true {
            waiting[network] = nil
            turns.removeAll { $0 == network }
        }
        return element
    }
}
