import Glibc
import Locking
import Posix

/// One connection's socket, whose counters any thread may read without meeting its close.
final class LoopSocket: Sendable {
    private struct State {
        /// nil: closed.
        var descriptor: Int32?
        /// Of the last reading.
        var counters = TCPCounters()
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

    var congestionControl: String? {
        state.withLock { $0.descriptor.flatMap { SocketOptions.congestionControl(of: $0) } }
    }

    /// The port on this side; nil when it is closed or not bound.
    var localPort: UInt16? {
        state.withLock { state in
            guard let descriptor = state.descriptor else { return nil }
            // The port lies at the same place in both families' addresses, in network order.
            var address = [UInt8](repeating: 0, count: 28)
            var length = socklen_t(address.count)
            let code = address.withUnsafeMutableBytes { bytes in
                bytes.withMemoryRebound(to: sockaddr.self) { getsockname(descriptor, $0.baseAddress, &length) }
            }
            guard code == 0, length >= 4 else { return nil }
            return UInt16(address[2]) << 8 | UInt16(address[3])
        }
    }

    func close() {
        state.withLock { state in
            guard let descriptor = state.descriptor.take() else { return }
            state.counters = TCPCounters(of: descriptor) ?? state.counters
            _ = Glibc.close(descriptor)
        }
    }
}
