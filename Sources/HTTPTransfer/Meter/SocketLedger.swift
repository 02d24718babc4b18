import Coordination
import Glibc
import Posix

/// The open sockets of a loop, and the sum of what the closed ones carried.
final class SocketLedger: Sendable {
    private struct State {
        var open: [Int32: LoopSocket] = [:]
        var closed = TCPCounters()
        var carried = CarriedBytes()

        /// Keeps what a closed one has carried.
        mutating func add(_ bytes: CarriedBytes, _ counters: TCPCounters) {
            carried.add(bytes)
            closed = closed + counters
            closed.beyondHole = 0
        }
    }

    private let state = Locked(State())

    func add(_ descriptor: Int32) -> LoopSocket {
        let socket = LoopSocket(descriptor)
        state.withLock { state in
            // One that libcurl has closed without saying so.
            guard let lost = state.open.updateValue(socket, forKey: descriptor) else { return }
            state.add(lost.carried, lost.counters)
        }
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
            state.add(socket.close(rest: rest), socket.counters)
            return true
        }
        if !isKnown { _ = Glibc.close(descriptor) }
    }

    /// The socket with this local port, by which libcurl identifies a connection; of several, which are connected to different
    /// hosts, the one with this peer.
    func socket(from localPort: UInt16, to peer: SocketAddress?) -> LoopSocket? {
        let bound = state.withLock { state in state.open.values.filter { $0.localPort == localPort } }
        guard bound.count > 1, let peer else { return bound.first }
        // libcurl does not tell the device of a link-local address.
        return bound.first { $0.peer.map { SocketAddress($0.ip, port: $0.port) } == peer }
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
///
/// libcurl before 8.2 closes a socket that is still connecting without a call of the ledger (`cf_socket_close` in its
/// lib/cf-socket.c), such as the slower one of two families. Its number may soon
/// belong to another socket, whose bytes must not be counted.
final class LoopSocket: Sendable {
    private struct State {
        /// nil: closed.
        var descriptor: Int32?
        let cookie: UInt64?
        /// Of the last reading.
        var counters = TCPCounters()
        var bytes = ConnectionBytes()

        /// What `read` returns for the socket; nil once it is closed.
        ///
        /// The number is compared afterwards, as the socket may be closed meanwhile.
        mutating func reading<Result>(_ read: (Int32) -> Result?) -> Result? {
            guard let number = descriptor else { return nil }
            let result = read(number)
            if SocketOptions.cookie(of: number) == cookie { return result }
            descriptor = nil
            return nil
        }

        mutating func readCounters() {
            if let read = reading({ TCPCounters(of: $0) }) { counters = read }
        }

        mutating func readBytes() {
            let read = reading { [bytes] number in
                var bytes = bytes
                bytes.read(number)
                return bytes
            }
            if let read { bytes = read }
        }
    }

    private let state: Locked<State>

    init(_ descriptor: Int32) {
        state = Locked(State(descriptor: descriptor, cookie: SocketOptions.cookie(of: descriptor)))
    }

    /// Up to this moment, or to its end.
    var counters: TCPCounters {
        state.withLock { state in
            state.readCounters()
            return state.counters
        }
    }

    /// In bytes of IP packets.
    var carried: CarriedBytes {
        state.withLock { state in
            state.readBytes()
            return state.bytes.carried
        }
    }

    var congestionControl: String? {
        state.withLock { $0.reading { SocketOptions.congestionControl(of: $0) } }
    }

    /// The descriptor; nil when it is closed.
    var number: Int32? { state.withLock { $0.reading { $0 } } }

    /// The port on this side; nil when it is closed or not bound.
    var localPort: UInt16? {
        state.withLock { $0.reading { try? SocketAddress.bound(to: $0) }?.port }
    }

    /// The other side; nil when it is closed or not connected.
    var peer: SocketAddress? {
        state.withLock { $0.reading { try? SocketAddress.peer(of: $0) } }
    }

    /// Closes it, and returns all that it has carried and what may still come.
    func close(rest: UInt64?) -> CarriedBytes {
        state.withLock { state in
            state.readCounters()
            state.readBytes()
            if let descriptor = state.descriptor.take() {
                state.bytes.end(rest: rest)
                _ = Glibc.close(descriptor)
            }
            return state.bytes.carried
        }
    }
}
