// libmicrohttpd's header brings the socket types too, and some builds take them from there.
import CMicroHTTPD
import Coordination
import Glibc
import Posix

/// The state of one TCP connection, from libmicrohttpd's STARTED to its CLOSED.
final class Connection: Sendable {
    private struct State {
        var phase: Deadlines.Phase
        var since: ContinuousClock.Instant
        var isOpen = true
        var suspension: Suspension?
        var progress = Progress()
        /// When bytes that the server had not read were seen last.
        var lastUnread: ContinuousClock.Instant?
        /// Whether a held request must be answered now.
        var isReleased = false
    }

    /// The client's address, numeric and without port.
    let peer: String
    /// What one client may have: its address, or the /64 of its IPv6 address; empty on a Unix socket.
    let network: String
    private let descriptor: Int32
    /// nil: without TLS.
    let tls: TLSSession?
    private let state: Locked<State>

    var isTLS: Bool { tls != nil }

    init(descriptor: Int32, peer: String, tls: TLSSession? = nil, now: ContinuousClock.Instant) {
        self.descriptor = descriptor
        self.peer = peer
        network = Self.network(of: peer)
        self.tls = tls
        state = Locked(State(phase: .firstHeaders, since: now))
    }

    static func network(of peer: String) -> String {
        // A link-local address has its device behind it.
        IPAddress(String(peer.prefix { $0 != "%" }))?.clientNetwork.description ?? peer
    }

    /// Begins a phase now, and forgets the last request's suspension.
    func enter(_ phase: Deadlines.Phase, now: ContinuousClock.Instant) {
        state.withLock { state in
            state.phase = phase
            state.since = now
            state.suspension = nil
            state.progress = Progress()
            state.lastUnread = nil
            state.isReleased = false
        }
    }

    /// Notes the suspension that a stop, or the client's hang-up, must end.
    ///
    /// Where the connection was shut down since the last callback, it ends at once: no other sign of that would follow.
    func own(_ suspension: Suspension) {
        let isOpen = state.withLock { state in
            state.suspension = suspension
            return state.isOpen
        }
        if !isOpen { suspension.abort() }
    }

    /// Whether the request that is held must be answered now, as the last one of its connection.
    var isReleased: Bool { state.withLock { $0.isReleased } }

    /// Asks for the answer to a held request now; returns false if none is held.
    @discardableResult
    func release() -> Bool {
        let suspension: Suspension? = state.withLock { state in
            guard state.isOpen, state.phase == .held, !state.isReleased, let suspension = state.suspension else {
                return nil
            }
            state.isReleased = true
            return suspension
        }
        suspension?.resume()
        return suspension != nil
    }

    /// Ends the sleep of the current request, if it has one.
    func abort() {
        state.withLock { $0.suspension }?.abort()
    }

    /// The descriptor while the connection is open; for immediate use only.
    var openDescriptor: Int32? { state.withLock { $0.isOpen ? descriptor : nil } }

    /// Ends the connection if its client has hung up, of which the caller has seen signs.
    ///
    /// libmicrohttpd does not detect this while a connection is suspended; while it reads, it misses an end that
    /// arrived together with the last bytes (edge-triggered epoll, 0.9.75).
    func endIfHungUp(now: ContinuousClock.Instant, grace: Duration) {
        let suspension: Suspension? = state.withLock { state in
            if state.phase.isAfterRequest { return state.suspension }
            var byte: UInt8 = 0
            guard state.isOpen, state.since + grace <= now else { return nil }
            // Zero bytes to read is the end; earlier bytes have been read by then.
            if recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0 {
                state.isOpen = false
                _ = shutdown(descriptor, Int32(SHUT_RDWR))
            }
            return nil
        }
        if let suspension, suspension.isSuspended { suspension.abort() }
    }

    /// Shuts the socket down when its phase has lasted too long; libmicrohttpd then sees its end and closes it.
    ///
    /// In the middle of a request `message` is sent first, as libmicrohttpd has nothing to send then; not with TLS, which
    /// the event thread may be using. Says whether it was.
    func shutDownIfLate(
        _ deadlines: Deadlines,
        now: ContinuousClock.Instant,
        message: @autoclosure () -> [UInt8]
    ) -> Bool {
        let (isInRequest, suspension): (Bool, Suspension?) = state.withLock { state in
            guard state.isOpen, let end = deadlines.end(of: state.phase, since: state.since), end <= now else {
                return (false, nil)
            }
            let isAnswered = state.phase.isInRequest && tls == nil
            shutDown(&state, message: isAnswered ? message() : [])
            return (isAnswered, state.suspension)
        }
        // libmicrohttpd does not see the end of a suspended connection.
        suspension?.abort()
        return isInRequest
    }

    /// Notes whether the client has taken, or sent, anything since the last time.
    func noteProgress(now: ContinuousClock.Instant) {
        state.withLock { noteProgress(&$0, now: now) }
    }

    private func noteProgress(_ state: inout State, now: ContinuousClock.Instant) {
        guard state.isOpen, state.phase.hasProgress, let statistics = TCPStatistics(of: descriptor) else { return }
        state.progress.note(
            statistics.bytesReceived &+ statistics.bytesAcknowledged,
            // A handler that has sent nothing yet owes the client something, not the other way round.
            isWaiting: !state.phase.isAfterRequest || unsentBytes > 0,
            now: now
        )
    }

    /// Whether bytes of its first request, or of its handshake, have arrived that the server has not read.
    var isUnread: Bool { state.withLock { $0.isOpen && $0.phase == .firstHeaders && unreadBytes > 0 } }

    /// How early this connection may be closed in favour of a new one; nil: not at all.
    ///
    /// `grace` is ``Server/Configuration/arrivalGrace``.
    func evictionRank(now: ContinuousClock.Instant, grace: Duration) -> EvictionRank? {
        state.withLock { state in
            guard state.isOpen else { return nil }
            noteProgress(&state, now: now)
            let hasUnread = unreadBytes > 0
            if hasUnread { state.lastUnread = now }
            return EvictionRank(
                phase: state.phase,
                since: state.since,
                hasUnread: hasUnread,
                lastUnread: state.lastUnread,
                grace: grace,
                isAbandoned: state.suspension?.isSuspended == true && hasHungUp,
                stuckSince: state.progress.stuckSince,
                now: now
            )
        }
    }

    /// Whether the client sends nothing any more; only under the lock.
    private var hasHungUp: Bool {
        var polled = pollfd(fd: descriptor, events: Int16(NHE_POLLRDHUP), revents: 0)
        return poll(&polled, 1, 0) > 0
    }

    /// Closes the connection in favour of a new one: after the answer to a held request, else at once, and then in the middle
    /// of a request it sends `message` first.
    ///
    /// Returns false if the connection was closed meanwhile.
    func evict(message: [UInt8]) -> Bool {
        if release() { return true }
        let (isEvicted, suspension): (Bool, Suspension?) = state.withLock { state in
            guard state.isOpen else { return (false, nil) }
            shutDown(&state, message: message)
            return (true, state.suspension)
        }
        suspension?.abort()
        return isEvicted
    }

    /// Shuts the socket down, so that libmicrohttpd closes it; a client in the middle of a request is sent `message`.
    ///
    /// Under the lock: the number stays this connection's own until `close` has returned.
    private func shutDown(_ state: inout State, message: [UInt8]) {
        state.isOpen = false
        if state.phase.isInRequest, tls == nil {
            _ = send(descriptor, message, message.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            Self.discardUnread(descriptor)
        }
        _ = shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Reads 64 KiB at most of what has arrived: unread bytes would make the close a reset, which can overtake an answer.
    static func discardUnread(_ descriptor: Int32) {
        withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 1) { piece in
            for _ in 0..<8 {
                let count = recv(descriptor, piece.baseAddress, piece.count, Int32(MSG_DONTWAIT))
                guard count == piece.count else { break }
            }
        }
    }

    /// Shuts the socket down; libmicrohttpd then sees its end and closes it.
    func shutDown() {
        state.withLock { state in
            state.isOpen = false
            _ = shutdown(descriptor, Int32(SHUT_RDWR))
        }
    }

    /// Sends a whole answer although the request has not ended, as libmicrohttpd cannot, and the end of all answers; on the
    /// event thread.
    ///
    /// The connection stays open for `grace`: closed with bytes unread, it would take the answer with it.
    func refuse(with message: [UInt8], grace: Duration, now: ContinuousClock.Instant) {
        state.withLock { state in
            guard state.isOpen else { return }
            if let tls {
                tls.sendLast(message)
            } else {
                _ = send(descriptor, message, message.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            }
            _ = shutdown(descriptor, Int32(SHUT_WR))
            state.phase = .refused(grace)
            state.since = now
        }
    }

    /// Bytes that have arrived and were not read; only under the lock, or on the event thread before `close`.
    var unreadBytes: Int { count(of: UInt(FIONREAD)) }

    /// Bytes that the client has not acknowledged (SIOCOUTQ, which is TIOCOUTQ); only under the lock.
    private var unsentBytes: Int { count(of: UInt(TIOCOUTQ)) }

    private func count(of request: UInt) -> Int {
        var count: Int32 = 0
        return ioctl(descriptor, request, &count) == 0 ? Int(count) : 0
    }

    /// On the event thread, before libmicrohttpd closes the descriptor, whose sending half it has shut down.
    func close() {
        Self.discardUnread(descriptor)
        state.withLock { state in
            state.isOpen = false
            state.suspension = nil
        }
    }
}
