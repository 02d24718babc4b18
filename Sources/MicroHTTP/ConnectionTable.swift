import CMicroHTTPD
import Glibc
import Locking

/// The open connections, and the sweep that ends those that are late or whose client hung up.
final class ConnectionTable: Sendable {
    private struct State {
        var connections: [ObjectIdentifier: Connection] = [:]
        var isStopping = false
    }

    private let state = Locked(State())

    /// Whether there is anything to sweep.
    var isEmpty: Bool { state.withLock { $0.connections.isEmpty } }

    /// Whether nothing may fall asleep any more.
    var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Says whether it is the only one.
    func add(_ connection: Connection) -> Bool {
        state.withLock { state in
            state.connections[ObjectIdentifier(connection)] = connection
            return state.connections.count == 1
        }
    }

    func remove(_ connection: Connection) {
        _ = state.withLock { $0.connections.removeValue(forKey: ObjectIdentifier(connection)) }
    }

    /// Ends the sleep of every connection, for good: libmicrohttpd aborts when it is stopped while one sleeps.
    func stop() {
        let connections = state.withLock { state in
            state.isStopping = true
            return Array(state.connections.values)
        }
        for connection in connections { connection.abort() }
    }

    /// Shuts down the late and ends those whose client has gone; says how many were sent `lateMessage`.
    func sweep(_ deadlines: Deadlines, now: ContinuousClock.Instant, lateMessage: [UInt8]) -> Int {
        let connections = state.withLock { Array($0.connections.values) }
        let late = connections.count { $0.shutDownIfLate(deadlines, now: now, message: lateMessage) }
        var watched: [Connection] = []
        var polled: [pollfd] = []
        for connection in connections {
            guard let descriptor = connection.openDescriptor else { continue }
            watched.append(connection)
            // POLLHUP and POLLERR come unasked.
            polled.append(pollfd(fd: descriptor, events: Int16(NHE_POLLRDHUP), revents: 0))
        }
        guard !polled.isEmpty, poll(&polled, nfds_t(polled.count), 0) > 0 else { return late }
        for (connection, result) in zip(watched, polled) where result.revents != 0 {
            connection.endIfHungUp(now: now, grace: deadlines.interval)
        }
        return late
    }
}
