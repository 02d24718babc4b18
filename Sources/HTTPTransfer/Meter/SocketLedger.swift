import Coordination
import Glibc
import Posix

/// The open sockets of a loop, and the sum of what the closed ones carried.
final class SocketLedger: Sendable {
    private struct State {
        var open: [Int32: LoopSocket] = [:]
        var closed = TCPCounters()
        var carried = CarriedBytes()
    }

    private let state = Locked(State())

    func add(_ descriptor: Int32) -> LoopSocket {
        let socket = LoopSocket(descriptor)
        state.withLock { $0.open[descriptor] = socket }
        return socket
    }

    /// Closes it, and keeps what it has carried.
    ///
    /// - Parameters:
    ///   - descriptor: of the connection.
    ///   - rest: what is still to come of the answer on it; nil: not known, 0: nothing.
    func close(_ descriptor: Int32, rest: UInt64?) {
        let isKnown = state.withLock { state in
            guard let socket = state.open.removeValue(forKey: descriptor) else { return false }
            state.carried.add(socket.close(rest: rest))
            state.closed = state.closed + socket.counters
            state.closed.beyondHole = 0
            return true
        }
        if !isKnown { _ = Glibc.close(descriptor) }
    }

    /// The socket with this local port, by which libcurl identifies a connection.
    func socket(at localPort: UInt16) -> LoopSocket? {
        state.withLock { state in state.open.values.first { $0.localPort == localPort } }
    }

    var total: TCPCounters {
        state.withLock { state in state.open.values.reduce(state.closed) { $0 + $1.counters } }
    }

    /// In bytes of IP packets.
    var carried: CarriedBytes {
        state.withLock { state in state.open.values.reduce(state.carried) { $0 + $1.carried } }
    }
}

/// One connection's socket, whose counters any thread may read while another closes it.
final class LoopSocket: Sendable {
    private struct State {
        /// nil: closed.
        var descriptor: Int32?
        /// Of the last reading.
        var counters = TCPCounters()
        var bytes = ConnectionBytes()
    }

    private let state: Locked<State>

    init(_ descriptor: Int32) {
        state = Locked(State(descriptor: descriptor))
    }

    /// Up to this moment, or to its end.
    var counters: TCPCounters {
        state.withLock { state in
            if let descriptor = state.descriptor { state.counters = TCPCounters(of: descriptor) ?? state.counters }
            return state.counters
        }
    }

    /// In bytes of IP packets.
    var carried: CarriedBytes {
        state.withLock { state in
            if let descriptor = state.descriptor { state.bytes.read(descriptor) }
            return state.bytes.carried
        }
    }

    var congestionControl: String? {
        state.withLock { $0.descriptor.flatMap { SocketOptions.congestionControl(of: $0) } }
    }

    /// The descriptor; nil when it is closed.
    var number: Int32? { state.withLock { $0.descriptor } }

    /// The port on this side; nil when it is closed or not bound.
    var localPort: UInt16? {
        state.withLock { state in
            state.descriptor.flatMap { (try? SocketAddress.bound(to: $0))?.port }
        }
    }

    /// Closes it, and returns all that it has carried and what may still come.
    func close(rest: UInt64?) -> CarriedBytes {
        state.withLock { state in
            if let descriptor = state.descriptor.take() {
                state.counters = TCPCounters(of: descriptor) ?? state.counters
                state.bytes.read(descriptor)
                state.bytes.end(rest: rest)
                _ = Glibc.close(descriptor)
            }
            return state.bytes.carried
        }
    }
}
