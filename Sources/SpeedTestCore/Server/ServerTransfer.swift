import Locking

/// One download or upload that the embedded server lets happen, until `end`.
package final class ServerTransfer: Sendable {
    /// What the limits are about.
    package struct Facts: Sendable, Equatable {
        package var began: ContinuousClock.Instant
        /// So far, both directions.
        package var bytes: UInt64 = 0
        /// As many as there will be, where that is known.
        package var expected: UInt64?
        /// It was told to end: whatever else comes is counted, but as no other refusal.
        package var isRefused = false
        /// The name of the test that it belongs to.
        package var test: String?

        package init(
            began: ContinuousClock.Instant,
            bytes: UInt64 = 0,
            expected: UInt64? = nil,
            test: String? = nil
        ) {
            self.began = began
            self.bytes = bytes
            self.expected = expected
            self.test = test
        }

        /// Whether nothing more is to come.
        package var isAtEnd: Bool { expected.map { bytes >= $0 } ?? false }
    }

    private struct State {
        var facts: Facts
        var isOver = false
    }

    /// Bytes that it may have: a download asks for no more.
    package let byteLimit: UInt64
    private let server: EmbeddedServer
    private let peer: String
    private let state: Locked<State>

    init(_ server: EmbeddedServer, peer: String, byteLimit: UInt64, facts: Facts) {
        (self.server, self.peer, self.byteLimit) = (server, peer, byteLimit)
        state = Locked(State(facts: facts))
    }

    deinit { end() }

    /// Says how many bytes there will be, before the first.
    package func expect(_ bytes: UInt64) { state.withLock { $0.facts.expected = bytes } }

    /// Counts bytes that came; a refusal ends it.
    package func receive(_ bytes: Int) -> ServerRefusal? { count(received: UInt64(clamping: bytes)) }

    /// Counts bytes that are about to be sent; a refusal ends it.
    package func transmit(_ bytes: Int) -> ServerRefusal? { count(transmitted: UInt64(clamping: bytes)) }

    /// Gives its place to others; more than once does no harm.
    ///
    /// One that was cut from outside after its time is counted as refused for that.
    package func end(isCut: Bool = false) {
        let state = state.withLock { state in
            defer { state.isOver = true }
            return state
        }
        if !state.isOver { server.end(peer: peer, cut: isCut && !state.facts.isRefused ? state.facts : nil) }
    }

    private func count(received: UInt64 = 0, transmitted: UInt64 = 0) -> ServerRefusal? {
        let facts = state.withLock { state in
            state.facts.bytes &+= received &+ transmitted
            return state.facts
        }
        let refusal = server.add(received: received, transmitted: transmitted, of: facts)
        if refusal != nil { state.withLock { $0.facts.isRefused = true } }
        return refusal
    }
}
