import CMemory
import CMicroHTTPD
import Glibc
import Posix

/// Accepts connections and passes them to the daemon; in between it sweeps the connection table.
struct AcceptLoop {
    let core: ServerCore
    private let listeners: [Listener]
    let refusals: [Server.Refusal: [UInt8]]

    init(core: ServerCore, listeners: [Listener]) {
        self.core = core
        self.listeners = listeners
        // Before a handshake no answer can be read.
        let answered = core.configuration.tls == nil ? Server.Refusal.allCases : []
        refusals = Dictionary(uniqueKeysWithValues: answered.map { ($0, core.message($0)) })
    }

    /// The pause of accepting when descriptors or memory have run out.
    private static let pause: Duration = .milliseconds(100)
    /// How often places are looked for while a connection that has sent something waits; a look asks the kernel about each
    /// connection.
    private static let placeInterval: Duration = .milliseconds(5)
    /// Connections accepted from one listener before the next is served.
    static let batch = 64

    /// Runs until the core is stopped.
    func run(_ daemon: borrowing Daemon) {
        var polled = listeners.map { pollfd(fd: $0.descriptor.number, events: Int16(POLLIN), revents: 0) }
        polled.append(pollfd(fd: core.mailbox.number, events: Int16(POLLIN), revents: 0))
        let fixed = polled.count
        // Those that wait leave three quarters of the descriptors to others.
        var room = WaitingRoom<Peer>(limit: min(core.configuration.waitingLimit, Int(core.reserve.start) / 4))
        var pausedUntil: ContinuousClock.Instant?
        var reports = PauseReports()
        let deadlines = core.deadlines
        var nextSweep = ContinuousClock.now
        var nextService = nextSweep
        var memory = MemoryTrim()
        while !core.mailbox.isStopped {
            let isPaused = pausedUntil != nil
            // A negative number is skipped by poll.
            for index in listeners.indices { polled[index].fd = isPaused ? -1 : listeners[index].descriptor.number }
            polled.replaceSubrange(
                fixed...,
                with: room.silent.map { pollfd(fd: $0, events: Int16(POLLIN) | Int16(NHE_POLLRDHUP), revents: 0) }
            )
            let sweepTime = core.connections.isEmpty && room.isEmpty && !memory.isPending ? nil : nextSweep
            let handoverTime = daemon.mayHaveEvents ? ContinuousClock.now + Daemon.handoverInterval : nil
            let wakeTime = [pausedUntil, sweepTime, handoverTime, room.hasReady ? nextService : nil].compactMap(\.self)
                .min()
            Poll.wait(for: &polled, upTo: wakeTime.map { ContinuousClock.now.duration(to: $0) })
            _ = core.mailbox.take()
            let now = ContinuousClock.now
            if let end = pausedUntil, end <= now { pausedUntil = nil }
            for entry in polled[fixed...] where entry.revents != 0 { look(at: entry.fd, in: &room) }
            if nextSweep <= now {
                for _ in 0..<core.connections.sweep(deadlines, now: now, lateMessage: core.lateMessage) {
                    core.configuration.onResponse(nil, 408)
                }
                for late in room.removeAll(since: now - deadlines.headers) { endLate(late.number) }
                nextSweep = now + deadlines.interval
                if memory.isDue(connections: core.connections.count) { malloc_trim(0) }
            }
            for (index, listener) in listeners.enumerated() where !isPaused && polled[index].revents != 0 {
                switch accept(from: listener, into: &room) {
                case .nothing: break
                case .accepted: if reports.resume() { core.configuration.onEvent(.acceptResumed) }
                case .exhausted(let code):
                    pausedUntil = now + Self.pause
                    if reports.pause(at: now) { core.configuration.onEvent(.acceptPaused(errorNumber: code)) }
                }
            }
            if nextService <= now {
                serve(&room, daemon)
                nextService = room.hasReady ? now + Self.placeInterval : now
            }
            if daemon.mayHaveEvents { core.eventWakeup.signal() }
        }
        for arrival in room.removeAll(since: .now) { close(arrival.number) }
    }

    /// Which pauses are reported: one a minute, as descriptors may be freed and used again, and the end of each of
    /// those.
    struct PauseReports {
        private static let interval: Duration = .seconds(60)

        private var last: ContinuousClock.Instant?
        private var isReported = false

        /// Whether to report a pause that begins, or goes on, now.
        mutating func pause(at now: ContinuousClock.Instant) -> Bool {
            guard !isReported, last.map({ now - $0 >= Self.interval }) ?? true else { return false }
            last = now
            isReported = true
            return true
        }

        /// Whether to report that connections are accepted again.
        mutating func resume() -> Bool {
            defer { isReported = false }
            return isReported
        }
    }

    /// When to give memory back to the system: each time that three quarters of many connections have ended, down to the last.
    ///
    /// Each has about 33 KB in libmicrohttpd, which the allocator keeps.
    struct MemoryTrim {
        private static let many = 64
        /// So few have nothing worth giving back.
        private static let few = 8

        private var most = 0
        /// Whether what is left of many connections is still to end.
        private var isDeclining = false

        /// Whether it will be due when enough connections have ended.
        var isPending: Bool { most >= (isDeclining ? Self.few : Self.many) }

        /// Whether it is due now.
        mutating func isDue(connections: Int) -> Bool {
            most = max(most, connections)
            guard isPending, connections <= most / 4 else { return false }
            most = connections
            isDeclining = connections >= Self.few
            return true
        }
    }

    private enum Outcome {
        case nothing
        case accepted
        case exhausted(Int32)
    }

    private func accept(from listener: borrowing Listener, into room: inout WaitingRoom<Peer>) -> Outcome {
        var outcome = Outcome.nothing
        for _ in 0..<Self.batch {
            var storage = sockaddr_storage()
            var length: socklen_t = 0
            let number = nhe_accept(listener.descriptor.number, &storage, &length)
            guard number >= 0 else {
                switch errno {
                case EAGAIN: return outcome
                // An error of this connection only (accept(2)): accept the next.
                case EINTR, ECONNABORTED, EPROTO, ENETDOWN, ENETUNREACH, EHOSTDOWN, EHOSTUNREACH, ENONET, ENOPROTOOPT,
                    EOPNOTSUPP:
                    continue
                default: return .exhausted(errno)
                }
            }
            guard !core.reserve.containsConnection(number) else {
                refuse(number, .descriptors)
                // The number is free again, and the next client waits for its answer, too.
                outcome = .exhausted(EMFILE)
                continue
            }
            outcome = .accepted
            let peer = Peer(storage, length)
            let arrival = WaitingRoom<Peer>.Arrival(
                number: number,
                network: peer.network,
                since: .now,
                connection: peer
            )
            if let other = room.add(arrival) { refuse(other.number, .evicted) }
        }
        return outcome
    }

    func refuse(_ number: Int32, _ refusal: Server.Refusal) {
        // Counted first, so that the count includes each refusal that a client has seen.
        core.configuration.onConnection(.refused(refusal))
        // The buffer of a new socket has room for the whole answer.
        if let text = refusals[refusal] { _ = send(number, text, text.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT)) }
        end(number)
    }
}
