import Glibc
import Locking
import Posix

/// The open sockets of a loop, and the sum of what the closed ones carried.
final class SocketLedger: Sendable {
    private struct State {
        var open: [Int32: LoopSocket] = [:]
        var closed = TCPCounters()
    }

    private let state = Locked(State())

    func add(_ descriptor: Int32) -> LoopSocket {
        let socket = LoopSocket(descriptor)
        state.withLock { $0.open[descriptor] = socket }
        return socket
    }

    /// Closes it, and keeps what it has carried.
    func close(_ descriptor: Int32) {
        let isKnown = state.withLock { state in
            guard let socket = state.open.removeValue(forKey: descriptor) else { return false }
            socket.close()
            state.closed = state.closed + socket.counters
            return true
        }
        if !isKnown { _ = Glibc.close(descriptor) }
    }

    /// The one of a connection that libcurl tells by its local port.
    func socket(at localPort: UInt16) -> LoopSocket? {
        state.withLock { state in state.open.values.first { $0.localPort == localPort } }
    }

    var total: TCPCounters {
        state.withLock { state in state.open.values.reduce(state.closed) { $0 + $1.counters } }
    }
}
