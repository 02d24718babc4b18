import Coordination
import Storage

/// What a database has reported.
final class Events: Sendable {
    private let all = Locked<[StorageEvent]>([])
    private let broadcast = Broadcast<Int>()

    @Sendable func add(_ event: StorageEvent) {
        let count = all.withLock { all in
            all.append(event)
            return all.count
        }
        broadcast.send(count)
    }

    /// The kinds, in the order in which they came.
    var names: [String] {
        all.withLock { $0 }.map { event in
            switch event {
            case .movedAside: "movedAside"
            case .unavailable: "unavailable"
            case .available: "available"
            case .rewritten: "rewritten"
            }
        }
    }

    /// What the log has of them.
    var texts: [String] { all.withLock { $0.map(\.description) } }

    /// Waits for one of a kind.
    func wait(for name: String) async {
        for await _ in broadcast.values() where names.contains(name) { return }
    }
}
