import OfflineQueue

/// Publishes the event `queue`: at once after a change, then one for all changes of each interval.
struct QueueEvents: Sendable {
    private static let interval = Duration.milliseconds(500)

    let changes: AsyncStream<Void>
    /// The queue at this moment; it takes the ids since the last call.
    let document: @Sendable () -> QueueDocument
    let publish: @Sendable (QueueDocument) -> Void
    /// The pace of the events: what changes meanwhile is one event.
    var pause: @Sendable () async -> Void = { try? await Task.sleep(for: interval) }

    func run() async {
        var last = QueueDocument()
        for await _ in changes {
            let document = document()
            guard document.isNews(after: last) else { continue }
            publish(document)
            last = document
            await pause()
        }
    }
}

/// The event `queue`: counts since the start, and the ids since the last event.
///
/// It has no address and no content of a request, since the stream asks for no token.
struct QueueDocument: Encodable, Sendable {
    private struct Counts: Equatable {
        var pending = 0
        var bytes = 0
        var enqueued = 0
        var delivered = 0
        var retries = 0
        var discarded = 0
    }

    private enum CodingKeys: CodingKey {
        case pending, bytes, enqueued, delivered, retries, discarded, acceptedIds, deliveredIds, failedIds
    }

    private var counts = Counts()
    private var ids = QueueActivity.IDs()

    /// An empty queue, of which nothing is to be reported.
    init() {}

    init(_ queue: QueueStatistics, _ ids: QueueActivity.IDs) {
        counts = Counts(
            pending: queue.pending,
            bytes: queue.bytes,
            enqueued: queue.enqueued,
            delivered: queue.delivered,
            retries: queue.retries,
            discarded: queue.discarded.values.reduce(0, +)
        )
        self.ids = ids
    }

    func isNews(after last: QueueDocument) -> Bool { ids != QueueActivity.IDs() || counts != last.counts }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(counts.pending, forKey: .pending)
        try container.encode(counts.bytes, forKey: .bytes)
        try container.encode(counts.enqueued, forKey: .enqueued)
        try container.encode(counts.delivered, forKey: .delivered)
        try container.encode(counts.retries, forKey: .retries)
        try container.encode(counts.discarded, forKey: .discarded)
        try container.encode(ids.accepted.map(\.uuidString), forKey: .acceptedIds)
        try container.encode(ids.delivered.map(\.uuidString), forKey: .deliveredIds)
        try container.encode(ids.failed.map(\.uuidString), forKey: .failedIds)
    }
}
