import Locking
package import Posix

/// The last errors of routers to probes of any kind.
package final class RefusalLog: Sendable {
    /// So many of each family.
    private static let capacity = 16

    private let refusals = Locked<[AddressFamily: [Refusal]]>([:])

    package init() {}

    /// Notes one, if there was one.
    ///
    /// It takes the place of an equal one of before, so that a router that refuses everything displaces no other.
    package func note(_ refusal: Refusal?) {
        guard let refusal else { return }
        refusals.withLock { refusals in
            var list = refusals[refusal.sender.family, default: []].filter { !$0.isRepeated(by: refusal) }
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
