import CMicroHTTPD
import Coordination
import Glibc

/// All connections: their limits, and the sweep that ends those that are late or whose client hung up.
final class ConnectionTable: Sendable {
    private struct State {
        /// From before libmicrohttpd gets a connection until it closes it.
        var count: ConnectionCount
        /// Those that libmicrohttpd has reported as started.
        var connections: [ObjectIdentifier: Connection] = [:]
        /// Those shut down in favour of others, which `count` no longer counts, until libmicrohttpd has closed them.
        var evicted: Set<ObjectIdentifier> = []
        /// Those with a held request.
        var held: HeldRequests<ObjectIdentifier>
        var isStopping = false
    }

    /// Evicted connections that libmicrohttpd may not have closed yet; it has room for as many above the limit.
    static let maxEvicted = 64

    private let arrivalGrace: Duration
    private let state: Locked<State>

    init(limit: Int, limitPerAddress: Int, heldPerNetwork: Int, arrivalGrace: Duration) {
        self.arrivalGrace = arrivalGrace
        state = Locked(
            State(
                count: ConnectionCount(limit: limit, limitPerAddress: limitPerAddress),
                held: HeldRequests(limit: limit / 4 * 3, limitPerNetwork: heldPerNetwork)
            )
        )
    }

    /// Whether there is anything to sweep.
    var isEmpty: Bool { count == 0 }

    /// How many libmicrohttpd has.
    var count: Int { state.withLock { $0.connections.count } }

    /// Whether no connection may be suspended any more.
    var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Counts a connection before it is passed to libmicrohttpd; a refusal means that it must not be.
    func admit(from peer: String) -> Server.Refusal? { state.withLock { $0.count.add(peer) } }

    /// How many have begun and wait for the event thread.
    var waiting: Int {
        let (connections, starting) = state.withLock { state in
            let connections = state.connections.values.filter { !state.evicted.contains(ObjectIdentifier($0)) }
            return (connections, state.count.count(for: .total, "") - connections.count)
        }
        return starting + connections.count { $0.isUnread }
    }

    /// Where a new connection may find a place.
    enum Place {
        /// Nowhere, as long as nothing ends by itself.
        case none
        /// Not at the moment: what could give way has just begun, or has not ended yet.
        case soon
        /// That of another one, which can be closed.
        case held(by: Connection)
    }

    /// The place that a new connection could take.
    ///
    /// - Parameters:
    ///   - limit: Why the new one was refused; if by the limit of an address, the other one has the same address.
    ///   - peer: Where the new one comes from.
    ///   - now: The current time.
    /// - Returns: where.
    func place(for limit: Server.Refusal, from peer: String, now: ContinuousClock.Instant) -> Place {
        let (candidates, hasOthers) = state.withLock { state in
            // Of those that were evicted before, and those that libmicrohttpd has not started, nothing can be said.
            guard state.evicted.count < Self.maxEvicted else { return ([Connection](), true) }
            let candidates = state.connections.values.filter {
                (limit != .address || $0.peer == peer) && !state.evicted.contains(ObjectIdentifier($0))
            }
            return (candidates, candidates.count < state.count.count(for: limit, peer))
        }
        var ranked = candidates.compactMap { connection in
            connection.evictionRank(now: now, grace: arrivalGrace).map { (rank: $0, connection: connection) }
        }
        // Among those held, not the oldest of all goes first, but the oldest of the client that has the most.
        let held = Set(ranked.filter { $0.rank.kind == .held }.map { ObjectIdentifier($0.connection) })
        let next = state.withLock { $0.held.next(among: held) }
        ranked.removeAll { $0.rank.kind == .held && ObjectIdentifier($0.connection) != next }
        guard let first = ranked.min(by: { $0.rank < $1.rank }) else { return hasOthers ? .soon : .none }
        return first.rank.kind == .recent ? .soon : .held(by: first.connection)
    }

    /// Closes a connection in favour of a new one; only the accept loop calls it.
    ///
    /// - Parameters:
    ///   - connection: Of `place(for:from:now:)`.
    ///   - message: What its client is sent, if it is in the middle of a request.
    /// - Returns: false if it was closed meanwhile, which makes room, too.
    func evict(_ connection: Connection, message: [UInt8]) -> Bool {
        guard connection.evict(message: message) else { return false }
        state.withLock { state in
            // Not if libmicrohttpd has closed it meanwhile.
            guard state.connections[ObjectIdentifier(connection)] != nil else { return }
            state.evicted.insert(ObjectIdentifier(connection))
            state.count.remove(connection.peer)
        }
        return true
    }

    /// Takes an admission back, as libmicrohttpd has closed the connection without starting it.
    func dismiss(from peer: String) { state.withLock { $0.count.remove(peer) } }

    /// Returns whether it is the only one.
    func add(_ connection: Connection) -> Bool {
        state.withLock { state in
            state.connections[ObjectIdentifier(connection)] = connection
            return state.connections.count == 1
        }
    }

    func remove(_ connection: Connection) {
        state.withLock { state in
            state.connections[ObjectIdentifier(connection)] = nil
            if state.evicted.remove(ObjectIdentifier(connection)) == nil { state.count.remove(connection.peer) }
        }
    }

    /// Counts a request as held; beyond a limit another one is answered now.
    func hold(_ connection: Connection) {
        let released = state.withLock { state in
            state.held.add(ObjectIdentifier(connection), from: connection.network).flatMap { state.connections[$0] }
        }
        released?.release()
    }

    /// The request is answered, or its connection closed.
    func endHold(_ connection: Connection) { state.withLock { $0.held.remove(ObjectIdentifier(connection)) } }

    /// Resumes every connection for good: libmicrohttpd aborts if it is stopped while one is suspended.
    func stop() {
        let connections = state.withLock { state in
            state.isStopping = true
            return Array(state.connections.values)
        }
        for connection in connections { connection.abort() }
    }

    /// Shuts down late connections and those whose client has gone; returns how many were sent `lateMessage`.
    func sweep(
        _ deadlines: Deadlines,
        now: ContinuousClock.Instant,
        lateMessage: @autoclosure () -> [UInt8]
    ) -> Int {
        let connections = state.withLock { Array($0.connections.values) }
        let late = connections.count { $0.shutDownIfLate(deadlines, now: now, message: lateMessage()) }
        for connection in connections { connection.noteProgress(now: now) }
        var watched: [Connection] = []
        var polled: [pollfd] = []
        for connection in connections {
            guard let descriptor = connection.openDescriptor else { continue }
            watched.append(connection)
            // POLLHUP and POLLERR are always reported.
            polled.append(pollfd(fd: descriptor, events: Int16(NHE_POLLRDHUP), revents: 0))
        }
        guard !polled.isEmpty, poll(&polled, nfds_t(polled.count), 0) > 0 else { return late }
        for (connection, result) in zip(watched, polled) where result.revents != 0 {
            connection.endIfHungUp(now: now, grace: deadlines.interval)
        }
        return late
    }
}

/// Counts connections against the limits, in total and by address.
///
/// libmicrohttpd 0.9.75 has such limits, too. But while connections wait for its event thread, it detects them there
/// and returns with a mutex locked. So ours are checked before it gets a connection, and its own are never reached.
struct ConnectionCount: Equatable {
    private let limit: Int
    private let limitPerAddress: Int
    private var total = 0
    private var byAddress: [String: Int] = [:]

    init(limit: Int, limitPerAddress: Int) {
        self.limit = limit
        self.limitPerAddress = limitPerAddress
    }

    /// Counts one more, or returns the limit that it exceeds.
    ///
    /// An empty address, of a Unix socket, is counted in the total only.
    mutating func add(_ address: String) -> Server.Refusal? {
        guard total < limit else { return .total }
        if !address.isEmpty {
            guard byAddress[address, default: 0] < limitPerAddress else { return .address }
            byAddress[address, default: 0] += 1
        }
        total += 1
        return nil
    }

    /// How many there are of those that a limit is about.
    func count(for limit: Server.Refusal, _ address: String) -> Int {
        limit == .address ? byAddress[address, default: 0] : total
    }

    /// Removes a connection that was added with this address.
    mutating func remove(_ address: String) {
        total -= 1
        guard let count = byAddress[address] else { return }
        byAddress[address] = count > 1 ? count - 1 : nil
    }
}
