import Coordination
import Statistics

/// One download or upload of the embedded server, until `end`.
package final class ServerTransfer: Sendable {
    /// The values that the limits apply to.
    package struct Facts: Sendable, Equatable {
        package var began: ContinuousClock.Instant
        /// So far, both directions.
        package var bytes: UInt64 = 0
        /// The size of the whole transfer; nil: not known.
        package var expected: UInt64?
        /// It was refused already: later bytes count, but not as another refusal.
        package var isRefused = false
        /// The name of its test.
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

        /// Whether all expected bytes have moved.
        package var isAtEnd: Bool { expected.map { bytes >= $0 } ?? false }
    }

    private struct State {
        var facts: Facts
        var isOver = false
    }

    /// The byte limit: a download sends no more.
    package let byteLimit: UInt64
    private let server: EmbeddedServer
    private let peer: String
    private let state: Locked<State>

    init(_ server: EmbeddedServer, peer: String, byteLimit: UInt64, facts: Facts) {
        (self.server, self.peer, self.byteLimit) = (server, peer, byteLimit)
        state = Locked(State(facts: facts))
    }

    deinit { end() }

    /// Sets the expected size, before the first byte.
    package func expect(_ bytes: UInt64) { state.withLock { $0.facts.expected = bytes } }

    /// Counts received bytes; a refusal ends the transfer.
    package func receive(_ bytes: Int) -> ServerRefusal? { count(ByteCounts(received: UInt64(clamping: bytes))) }

    /// Counts bytes before they are sent; a refusal ends the transfer.
    package func transmit(_ bytes: Int) -> ServerRefusal? { count(ByteCounts(transmitted: UInt64(clamping: bytes))) }

    /// Counts bytes that arrived after the refusal and were not read.
    package func discard(_ bytes: Int) {
        server.discard(UInt64(clamping: bytes), of: state.withLock { $0.facts })
    }

    /// Ends the transfer; a second call has no effect.
    ///
    /// A transfer that was cut after its maximum duration is counted as refused.
    package func end(isCut: Bool = false) {
        let state = state.withLock { state in
            defer { state.isOver = true }
            return state
        }
        if !state.isOver { server.end(peer: peer, cut: isCut && !state.facts.isRefused ? state.facts : nil) }
    }

    private func count(_ bytes: ByteCounts) -> ServerRefusal? {
        let facts = state.withLock { state in
            state.facts.bytes &+= bytes.total
            return state.facts
        }
        let refusal = server.add(bytes, of: facts, peer: peer)
        if refusal != nil { state.withLock { $0.facts.isRefused = true } }
        return refusal
    }
}

/// Why the embedded server refuses a request, or ends a transfer.
package struct ServerRefusal: Error, Sendable, Equatable {
    /// The raw values are labels of metrics.
    package enum Reason: String, Sendable, CaseIterable {
        /// The client's address is not allowed.
        case address
        /// A browser sends it for a page of another site.
        case crossSite = "cross_site"
        /// Too many transfers are in progress.
        case clients
        /// The body is larger than one transfer may be.
        case bytes
        /// The bytes of the day are used up.
        case bytesPerDay = "bytes_per_day"
        /// The transfer has lasted too long.
        case duration
    }

    package var reason: Reason
    /// When a retry may succeed; nil: never.
    package var retryAfter: Duration?

    package init(_ reason: Reason, retryAfter: Duration? = nil) {
        self.reason = reason
        self.retryAfter = retryAfter
    }

    /// The status of the response.
    package var status: Int {
        switch reason {
        case .address, .crossSite: 403
        case .bytes: 413
        case .clients, .bytesPerDay, .duration: 503
        }
    }

    /// The text of the response.
    package var message: String {
        switch reason {
        case .address: "the speed-test server is not open to this address"
        case .crossSite: "the request comes from another site's page"
        case .clients: "too many tests are in progress"
        case .bytes: "the body is larger than allowed"
        case .bytesPerDay: "the server's bytes of the day are used up"
        case .duration: "the transfer has lasted longer than allowed"
        }
    }
}
