import Coordination
import FoundationEssentials

/// What happens to the requests of applications, for the event `queue`; webhooks are counted there, but have no ids.
final class QueueActivity: Sendable {
    /// Requests by what happened to them since the last event, in that order.
    struct IDs: Sendable, Equatable {
        var accepted: [UUID] = []
        var delivered: [UUID] = []
        /// Those whose try failed: the queue repeats it or discards the request.
        var failed: [UUID] = []
    }

    /// Ids of each kind in one event; later ones are counted only.
    static let limit = 100

    /// An element after one or more changes; for one reader.
    let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation
    private let ids = Locked(IDs())

    init() { (changes, change) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func accepted(_ id: UUID) { note(id, \.accepted) }

    func delivered(_ id: UUID) { note(id, \.delivered) }

    func failed(_ id: UUID) { note(id, \.failed) }

    /// The counts may have changed.
    func changed() { change.yield() }

    /// The ids since the last call.
    func take() -> IDs {
        ids.withLock { ids in
            defer { ids = IDs() }
            return ids
        }
    }

    private func note(_ id: UUID, _ kind: WritableKeyPath<IDs, [UUID]>) {
        ids.withLock { ids in
            guard ids[keyPath: kind].count < Self.limit, !ids[keyPath: kind].contains(id) else { return }
            ids[keyPath: kind].append(id)
        }
        change.yield()
    }
}
