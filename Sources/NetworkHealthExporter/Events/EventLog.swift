import FoundationEssentials
import Locking

/// The newest events, and whoever follows them.
///
/// A reader that falls behind is dropped, instead of being waited for or buffered for without end: it comes again with the
/// number of the last event that it has, and gets what it has missed.
final class EventLog: Sendable {
    /// One that follows.
    struct Reader: Sendable {
        /// Ends when it is dropped, or its task is cancelled.
        let events: AsyncStream<ServerSentEvent>
        /// Ends at once when it has fallen behind, whatever it is waiting for.
        let pace: AsyncStream<Never>
    }

    private struct Feed {
        var events: AsyncStream<ServerSentEvent>.Continuation
        var pace: AsyncStream<Never>.Continuation
    }

    private struct State {
        var count: UInt64 = 0
        var kept: [ServerSentEvent] = []
        var snapshot: ServerSentEvent?
        var feeds: [UInt64: Feed] = [:]
        var nextFeed: UInt64 = 0
    }

    /// Events that are sent again.
    static let kept = 100
    static let mostReaders = 100
    /// Events that a reader may be behind.
    private static let backlog = 256

    /// Before the number of an event: numbers of another process are none of ours.
    private let prefix: String
    private let state = Locked(State())

    init(startedAt: Date = .now) {
        prefix = "\(Int(startedAt.timeIntervalSince1970))-"
    }

    var readerCount: Int { state.withLock { $0.feeds.count } }

    func publish(_ kind: ServerSentEvent.Kind, _ data: [UInt8]) {
        let behind = state.withLock { state -> [Feed] in
            state.count += 1
            let event = ServerSentEvent(id: "\(prefix)\(state.count)", kind: kind, data: data)
            if kind == .snapshot { state.snapshot = event }
            state.kept = (state.kept + [event]).suffix(Self.kept)
            var behind: [Feed] = []
            // Yielded under the lock: two events that come at once must not change places. It only queues.
            for (id, feed) in state.feeds {
                guard case .dropped = feed.events.yield(event) else { continue }
                state.feeds[id] = nil
                behind.append(feed)
            }
            return behind
        }
        for feed in behind {
            feed.events.finish()
            feed.pace.finish()
        }
    }

    /// Follows from the event after `lastID`, where that is still known, else from the newest snapshot.
    ///
    /// - Returns: nil where too many follow already.
    func follow(after lastID: String? = nil) -> Reader? {
        let (events, feed) = AsyncStream<ServerSentEvent>.makeStream(bufferingPolicy: .bufferingOldest(Self.backlog))
        let (pace, end) = AsyncStream<Never>.makeStream()
        let id: UInt64? = state.withLock { state in
            guard state.feeds.count < Self.mostReaders else { return nil }
            for event in missed(after: lastID, state) { feed.yield(event) }
            defer { state.nextFeed += 1 }
            state.feeds[state.nextFeed] = Feed(events: feed, pace: end)
            return state.nextFeed
        }
        guard let id else { return nil }
        feed.onTermination = { [state] _ in state.withLock { _ = $0.feeds.removeValue(forKey: id) } }
        return Reader(events: events, pace: pace)
    }

    private func missed(after lastID: String?, _ state: State) -> ArraySlice<ServerSentEvent> {
        let newest = state.snapshot.map { [$0][...] } ?? []
        guard let lastID, lastID.hasPrefix(prefix), let number = UInt64(lastID.dropFirst(prefix.count)),
            number <= state.count, number >= state.count - UInt64(state.kept.count)
        else { return newest }
        return state.kept.suffix(Int(state.count - number))
    }
}

/// One event of `/api/v1/stream`, as the HTML standard has them (section 9.2).
struct ServerSentEvent: Sendable, Equatable {
    /// What it is about.
    enum Kind: String, Sendable, CaseIterable {
        case snapshot, transition, speedtest
    }

    var id: String
    var kind: Kind
    /// JSON, which has no line end.
    var data: [UInt8]

    /// What goes over the line.
    var bytes: [UInt8] {
        Array("id: \(id)\nevent: \(kind.rawValue)\ndata: ".utf8) + data + Array("\n\n".utf8)
    }

    /// A comment, so that proxies and clients know that the connection lives.
    static let heartbeat = Array(": \n\n".utf8)
}
