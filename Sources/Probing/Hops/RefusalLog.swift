import Coordination
package import Posix

/// The last errors of routers to probes of any kind.
package final class RefusalLog: Sendable {
    /// So many of each family.
    private static let capacity = 16

    private let refusals = Locked<[AddressFamily: [Refusal]]>([:])

    package init() {}

    /// Notes one, if there was one.
    ///
    /// Of equal ones the last two are kept, so that a router that refuses everything displaces no other, and a second one
    /// shows that the first was not about a passing packet.
    package func note(_ refusal: Refusal?) {
        guard let refusal else { return }
        refusals.withLock { refusals in
            var list = refusals[refusal.sender.family, default: []]
            let equal = list.indices.filter { list[$0].isRepeated(by: refusal) }
            for index in equal.dropLast().reversed() { list.remove(at: index) }
            list.append(refusal)
            refusals[refusal.sender.family] = Array(list.suffix(Self.capacity))
        }
    }

    /// Those that came over a family, the oldest first.
    package func newest(_ family: AddressFamily) -> [Refusal] { refusals.read { $0[family, default: []] } }
}

extension Refusal {
    /// Whether another one differs by its time alone.
    fileprivate func isRepeated(by other: Refusal) -> Bool {
        var same = self
        same.at = other.at
        return same == other
    }
}
