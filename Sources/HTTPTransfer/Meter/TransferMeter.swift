import Coordination
package import Posix

/// Counts what one transfer moves, while it moves: written on the loop's thread, read on any.
package final class TransferMeter: Sendable {
    private struct State {
        var received: UInt64 = 0
        var sent: UInt64 = 0
        var socket: LoopSocket?
        /// The connection's counters when the transfer began on it.
        var baseline = TCPCounters()
        var counters: TCPCounters?
        var congestionControl: String?
        var status: Int?
        var headers: [(name: String, value: String)] = []
    }

    private let onReceive: (@Sendable (TransferMeter, Int) -> Bool)?
    private let onSend: (@Sendable (Int) -> Void)?
    private let state = Locked(State())

    /// Counts from nothing.
    ///
    /// - Parameters:
    ///   - onReceive: called with the size of each piece of the answer's body, once it is counted; on the loop's thread,
    ///     so it must not wait. False ends the transfer, with `isTruncated` set.
    ///   - onSend: the same for our body, which it cannot end.
    package init(
        onReceive: (@Sendable (TransferMeter, Int) -> Bool)? = nil,
        onSend: (@Sendable (Int) -> Void)? = nil
    ) {
        self.onReceive = onReceive
        self.onSend = onSend
    }

    /// Bytes of the answer's body that have been read.
    package var received: UInt64 { state.withLock { $0.received } }

    /// Bytes of our body that were given to libcurl; fewer may have arrived.
    package var sent: UInt64 { state.withLock { $0.sent } }

    /// What the kernel has counted on the connection since the transfer began there; nil before, or where it does not report them.
    package var counters: TCPCounters? {
        state.withLock { state in
            guard let socket = state.socket else { return state.counters }
            return socket.counters.since(state.baseline)
        }
    }

    /// What decides how fast our side sends.
    package var congestionControl: String? { state.withLock { $0.congestionControl } }

    /// The status of the answer, as soon as its head is there.
    package var status: Int? { state.withLock { $0.status } }

    /// The first header of that name, as soon as the answer's head is there; names compare without case.
    package func header(_ name: String) -> String? {
        let name = name.lowercased()
        return state.withLock { state in state.headers.first { $0.name.lowercased() == name }?.value }
    }

    /// Counts bytes of the answer's body; false when no more are wanted.
    ///
    /// Called by the loop, and by its replacements in tests.
    package func receive(_ count: Int) -> Bool {
        state.withLock { $0.received &+= UInt64(clamping: count) }
        return onReceive?(self, count) ?? true
    }

    /// Counts bytes of our body.
    package func send(_ count: Int) {
        onSend?(count)
        state.withLock { $0.sent &+= UInt64(clamping: count) }
    }

    func answered(_ status: Int, _ headers: [(name: String, value: String)]) {
        state.withLock { ($0.status, $0.headers) = (status, headers) }
    }

    /// The body is sent once more from an earlier place.
    func rewind(by count: Int64) {
        state.withLock { $0.sent -= min($0.sent, UInt64(clamping: count)) }
    }

    /// The request is about to be sent on this connection; a later one takes its place.
    func attach(_ socket: LoopSocket?) {
        guard let socket else { return }
        let (counters, congestionControl) = (socket.counters, socket.congestionControl)
        state.withLock { state in
            state.socket = socket
            state.baseline = counters
            state.congestionControl = congestionControl
        }
    }

    /// The transfer has ended: what the connection carries from now on is another's.
    func detach() {
        state.withLock { state in
            if let socket = state.socket { state.counters = socket.counters.since(state.baseline) }
            state.socket = nil
        }
    }
}
