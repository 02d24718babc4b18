import Coordination
import FoundationEssentials
import NetworkPath
import Posix

/// The newest events, and their readers.
///
/// A reader that falls behind is disconnected: it connects again with the number of its last event, and receives what it
/// missed.
final class EventLog: Sendable {
    /// A reader of the events.
    struct Reader: Sendable {
        /// Ends when the reader is disconnected, or its task is cancelled.
        let events: AsyncStream<ServerSentEvent>
        /// Ends immediately when the reader has fallen behind, even while it waits for its client.
        let overflow: AsyncStream<Never>
    }

    private struct Feed {
        /// The reader's address.
        var peer: IPAddress?
        var events: AsyncStream<ServerSentEvent>.Continuation
        var overflow: AsyncStream<Never>.Continuation
    }

    private struct State {
        var count: UInt64 = 0
        var kept: [ServerSentEvent] = []
        var snapshot: ServerSentEvent?
        var feeds: [UInt64: Feed] = [:]
        var nextFeed: UInt64 = 0
        var outbox = Outbox()
    }

    /// Events that are kept for readers that connect again.
    static let kept = 100
    static let maxReaders = 256
    /// From one address, and from one IPv6 network of 64 bits.
    ///
    /// Loopback has no share: behind a reverse proxy, all readers come
    /// from there.
    static let (maxFromAddress, maxFromNetwork) = (maxReaders / 4, maxReaders / 2)
    /// Events that a reader may be behind.
    private static let backlog = 256

    /// Precedes the number of an event, so that numbers of another process do not match.
    private let prefix: String
    private let state = Locked(State())

    init(startedAt: Date = .now) {
        prefix = "\(Int(startedAt.timeIntervalSince1970))-"
    }

    var readerCount: Int { state.withLock { $0.feeds.count } }

    /// Concurrent events keep their order, also for each reader.
    func publish(_ kind: ServerSentEvent.Kind, _ data: [UInt8]) {
        state.withLock { state in
            state.count += 1
            let event = ServerSentEvent(id: "\(prefix)\(state.count)", kind: kind, data: data)
            if kind == .snapshot { state.snapshot = event }
            state.kept = (state.kept + [event]).suffix(Self.kept)
            state.outbox.append { [self, feeds = state.feeds] in deliver(event, to: feeds) }
        }
        state.deliver(\.outbox)
    }

    /// Under no lock: a reader whose client has left takes the lock within that of its task, and to hand it an event takes that of its
    /// task.
    private func deliver(_ event: ServerSentEvent, to feeds: [UInt64: Feed]) {
        for (id, feed) in feeds {
            guard case .dropped = feed.events.yield(event) else { continue }
            state.withLock { $0.feeds[id] = nil }
            feed.events.finish()
            feed.overflow.finish()
        }
    }

    /// Registers a reader: from the event after `lastID` if it is still kept, else from the newest snapshot.
    ///
    /// - Parameters:
    ///   - lastID: the number of the last event that the reader has.
    ///   - peer: the reader's address; nil: not counted for a share.
    /// - Returns: nil at the maximum number of readers, in all or from there.
    func follow(after lastID: String? = nil, peer: IPAddress? = nil) -> Reader? {
        let peer = peer.flatMap { $0.isLoopback ? nil : $0 }
        let (events, feed) = AsyncStream<ServerSentEvent>.makeStream(bufferingPolicy: .bufferingOldest(Self.backlog))
        let (overflow, end) = AsyncStream<Never>.makeStream()
        let id: UInt64? = state.withLock { state in
            guard state.feeds.count < Self.maxReaders, hasShare(peer, state) else { return nil }
            // No task reads this stream yet, so that none is resumed here.
            for event in missed(after: lastID, state) { feed.yield(event) }
            defer { state.nextFeed += 1 }
            state.feeds[state.nextFeed] = Feed(peer: peer, events: feed, overflow: end)
            return state.nextFeed
        }
        guard let id else { return nil }
        feed.onTermination = { [state] _ in state.withLock { _ = $0.feeds.removeValue(forKey: id) } }
        return Reader(events: events, overflow: overflow)
    }

    /// Whether one more reader from there leaves room for others.
    private func hasShare(_ peer: IPAddress?, _ state: State) -> Bool {
        guard let peer else { return true }
        let others = state.feeds.values.compactMap(\.peer)
        guard others.count(where: { $0 == peer }) < Self.maxFromAddress else { return false }
        return others.count { $0.clientNetwork == peer.clientNetwork } < Self.maxFromNetwork
    }

    private func missed(after lastID: String?, _ state: State) -> ArraySlice<ServerSentEvent> {
        let newest = state.snapshot.map { [$0][...] } ?? []
        guard let lastID, lastID.hasPrefix(prefix), let number = UInt64(lastID.dropFirst(prefix.count)),
            number <= state.count, number >= state.count - UInt64(state.kept.count)
        else { return newest }
        return state.kept.suffix(Int(state.count - number))
    }
}

/// One event of `/api/v1/stream`, in the format of the HTML standard (section 9.2).
struct ServerSentEvent: Sendable, Equatable {
    /// The subject of an event.
    enum Kind: String, Sendable, CaseIterable {
        case snapshot, transition, speedtest, queue, fault
        case faultEnded = "fault_ended"
        case belowPlan = "below_plan"
        case uplinkSwitched = "uplink_switched"
        case uplinkLost = "uplink_lost"
    }

    var id: String
    var kind: Kind
    /// JSON without a line end.
    var data: [UInt8]

    /// The encoded event.
    var bytes: [UInt8] {
        Array("id: \(id)\nevent: \(kind.rawValue)\ndata: ".utf8) + data + Array("\n\n".utf8)
    }

    /// A comment, which keeps proxies and clients from closing the connection.
    static let heartbeat = Array(": \n\n".utf8)
}
