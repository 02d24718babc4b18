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

/// Why the embedded server refuses a request, or ends a transfer.
package struct ServerRefusal: Error, Sendable, Equatable {
    /// The raw values are labels.
    package enum Reason: String, Sendable, CaseIterable {
        /// The client's address is none of those allowed.
        case address
        /// A browser asks on behalf of another site's page.
        case crossSite = "cross_site"
        /// Too many transfers are under way.
        case clients
        /// The body is larger than one transfer may be.
        case bytes
        /// What may be transferred in a day was.
        case bytesPerDay = "bytes_per_day"
        /// The transfer has lasted too long.
        case duration
    }

    package var reason: Reason
    /// When another try may succeed; nil where it will not.
    package var retryAfter: Duration?

    package init(_ reason: Reason, retryAfter: Duration? = nil) {
        self.reason = reason
        self.retryAfter = retryAfter
    }

    /// The HTTP status for it.
    package var status: Int {
        switch reason {
        case .address, .crossSite: 403
        case .bytes: 413
        case .clients, .bytesPerDay, .duration: 503
        }
    }

    /// A sentence for the client.
    package var message: String {
        switch reason {
        case .address: "the speed-test server is not open to this address"
        case .crossSite: "the request comes from another site's page"
        case .clients: "too many tests are under way"
        case .bytes: "the body is larger than allowed"
        case .bytesPerDay: "the server's bytes of the day are used up"
        case .duration: "the transfer has lasted longer than allowed"
        }
    }
}
