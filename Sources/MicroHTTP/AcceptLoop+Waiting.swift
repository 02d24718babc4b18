// libmicrohttpd's header brings the socket types too, and some builds take them from there.
import CMicroHTTPD
import Glibc
import Posix

/// What becomes of accepted connections.
extension AcceptLoop {
    /// How many handshakes may wait for the event thread; the clients take turns in the waiting room.
    private static let handshakes = 16
    /// Where an accepted connection comes from.
    struct Peer {
        let storage: sockaddr_storage
        let length: socklen_t
        /// The address, as text.
        let host: String

        init(_ storage: sockaddr_storage, _ length: socklen_t) {
            (self.storage, self.length) = (storage, length)
            host = withUnsafePointer(to: storage) { storage in
                storage.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    SocketAddress(copying: $0, length: Int(length))?.host ?? ""
                }
            }
        }

        var network: String { Connection.network(of: host) }
    }

    /// Passes each connection for which there is a place to the daemon, by turns.
    ///
    /// One that has sent something may take the place of another one. With TLS one that is silent waits for its first byte.
    func serve(_ room: inout WaitingRoom<Peer>, _ daemon: borrowing Daemon) {
        let isTLS = core.configuration.tls != nil
        guard isTLS ? room.hasReady : !room.isEmpty else { return }
        // A handshake takes the event thread about a millisecond, and those that have begun cannot be put in order any more.
        var handshakes = isTLS ? core.connections.waiting : 0
        for isReady in isTLS ? [true] : [true, false] {
            var full: Set<String> = []
            var refusal: Server.Refusal?
            while let arrival = room.next(
                isReady: isReady,
                where: { arrival in
                    let peer = arrival.connection.host
                    // An empty name means the total limit.
                    guard !full.contains(peer), !full.contains(""), handshakes < Self.handshakes else { return false }
                    switch admit(peer, mayEvict: isReady) {
                    case .admitted: refusal = nil
                    case .refused(let limit): refusal = limit
                    case .full(let limit):
                        full.insert(limit == .address ? peer : "")
                        return false
                    }
                    return true
                }
            ) {
                if let refusal {
                    refuse(arrival.number, refusal)
                } else {
                    hand(arrival, to: daemon)
                    if isTLS { handshakes += 1 }
                }
            }
        }
    }

    private enum Admission {
        case admitted
        /// There is no place, and none to wait for.
        case refused(Server.Refusal)
        /// There may be a place later.
        case full(Server.Refusal)
    }

    private func admit(_ peer: String, mayEvict: Bool) -> Admission {
        guard let limit = core.connections.admit(from: peer) else { return .admitted }
        switch core.connections.place(for: limit, from: peer, now: .now) {
        case .none: return .refused(limit)
        case .held(let other) where mayEvict:
            if core.connections.evict(other, message: refusals[.evicted] ?? []) {
                core.configuration.onConnection(.refused(.evicted))
            }
            return core.connections.admit(from: peer).map { .full($0) } ?? .admitted
        case .soon, .held: return .full(limit)
        }
    }

    private func hand(_ arrival: WaitingRoom<Peer>.Arrival, to daemon: borrowing Daemon) {
        SocketOptions.sendAtOnce(arrival.number)
        let peer = arrival.connection
        let isAdded = withUnsafePointer(to: peer.storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { daemon.add(arrival.number, $0, peer.length) }
        }
        if !isAdded { core.connections.dismiss(from: peer.host) }
    }

    /// Notes that a connection that waits has sent something, or closes it when its client has gone.
    func look(at number: Int32, in room: inout WaitingRoom<Peer>) {
        var byte: UInt8 = 0
        if recv(number, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0 {
            room.noteReady(number)
        } else if room.remove(number) != nil {
            close(number)
        }
    }

    func endLate(_ number: Int32) {
        if core.configuration.tls == nil {
            core.configuration.onResponse(nil, 408)
            let message = core.lateMessage
            _ = send(number, message, message.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
        }
        end(number)
    }

    /// Closes a connection after its answer, which a reset could overtake.
    func end(_ number: Int32) {
        shutdown(number, Int32(SHUT_WR))
        Connection.discardUnread(number)
        close(number)
    }
}
