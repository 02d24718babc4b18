import Coordination
package import Statistics

/// The embedded speed-test server without its sockets: its limits, its usage and its counters.
package final class EmbeddedServer: Sendable {
    /// For metrics.
    package struct Statistics: Sendable, Equatable {
        package var activeTransfers: Int
        /// Of the bodies of downloads and uploads.
        package var bytes: ByteCounts
        package var rejected: [ServerRefusal.Reason: UInt64]
    }

    /// The bytes of an upload test, with times in seconds of this server's clock, whose zero is arbitrary.
    package struct TestCount: Sendable, Equatable, Encodable {
        package var bytes: UInt64
        package var firstByteAt: Double
        package var lastByteAt: Double
    }

    private let origin = ContinuousClock.now
    private let usage: Locked<ServerUsage>
    private let onRefusal: @Sendable (ServerRefusal, _ peer: String) -> Void

    /// - Parameters:
    ///   - limits: nil: it is off.
    ///   - onRefusal: called for each refusal that is counted.
    package init(
        limits: ServerLimits?,
        onRefusal: @escaping @Sendable (ServerRefusal, _ peer: String) -> Void = { _, _ in }
    ) {
        usage = Locked(ServerUsage(limits: limits))
        self.onRefusal = onRefusal
    }

    /// The present limits; nil while it is off.
    package var limits: ServerLimits? { usage.withLock { $0.limits } }

    /// Whether it serves its paths.
    package var isOn: Bool { usage.withLock { $0.limits != nil } }

    /// The counters since the start of the process; nil while it is off.
    package var statistics: Statistics? {
        usage.withLock { usage in
            guard usage.limits != nil else { return nil }
            return Statistics(
                activeTransfers: usage.activeTransfers,
                bytes: usage.bytes,
                rejected: usage.rejected
            )
        }
    }

    /// Applies new limits at once, also to transfers in progress.
    package func apply(_ limits: ServerLimits?) { usage.withLock { $0.limits = limits } }

    /// Checks whether a client may use the server.
    ///
    /// - Parameters:
    ///   - peer: Its address, empty on a Unix socket.
    ///   - foreignOrigin: The site of the page for which a browser sends the request; nil for our own and without a page.
    /// - Throws: The refusal, which is counted.
    package func check(peer: String, foreignOrigin: String?) throws(ServerRefusal) {
        try counting(peer) { (usage) throws(ServerRefusal) in try usage.check(peer: peer, foreignOrigin: foreignOrigin)
        }
    }

    /// Begins a transfer.
    ///
    /// - Parameters:
    ///   - peer: The client's address, empty on a Unix socket.
    ///   - uploadSize: The size of an upload; nil: not known.
    ///   - test: The name that an upload is counted under.
    /// - Returns: The transfer, which counts until its `end`.
    /// - Throws: The refusal, which is counted.
    package func begin(
        peer: String,
        uploadSize: UInt64? = nil,
        test: String? = nil
    ) throws(ServerRefusal) -> ServerTransfer {
        let now = ContinuousClock.now
        let limit = try counting(peer) { (usage) throws(ServerRefusal) in
            try usage.begin(peer: peer, uploadSize: uploadSize, test: test, at: now)
        }
        let facts = ServerTransfer.Facts(began: now, expected: uploadSize, test: test)
        return ServerTransfer(self, peer: peer, byteLimit: limit, facts: facts)
    }

    /// The bytes of a test; nil for an unknown or expired one.
    package func count(ofTest name: String) -> TestCount? {
        let now = ContinuousClock.now
        return usage.withLock { $0.tests.count(of: name, at: now) }.map { count in
            TestCount(
                bytes: count.bytes,
                firstByteAt: origin.duration(to: count.firstByteAt) / .seconds(1),
                lastByteAt: origin.duration(to: count.lastByteAt) / .seconds(1)
            )
        }
    }

    /// Counts bytes of an upload that was refused before it began.
    package func discard(_ bytes: Int) { usage.withLock { $0.discard(UInt64(clamping: bytes), from: nil, at: .now) } }

    func add(
        _ bytes: ByteCounts,
        of transfer: ServerTransfer.Facts,
        peer: String
    ) -> ServerRefusal? {
        let now = ContinuousClock.now
        do throws(ServerRefusal) {
            try usage.withLock { (usage) throws(ServerRefusal) in
                try usage.add(bytes, of: transfer, at: now)
            }
            return nil
        } catch {
            if !transfer.isRefused { onRefusal(error, peer) }
            return error
        }
    }

    func discard(_ bytes: UInt64, of transfer: ServerTransfer.Facts) {
        usage.withLock { $0.discard(bytes, from: transfer, at: .now) }
    }

    func end(peer: String, cut transfer: ServerTransfer.Facts?) {
        let now = ContinuousClock.now
        if let refusal = usage.withLock({ $0.end(peer: peer, cut: transfer, at: now) }) { onRefusal(refusal, peer) }
    }

    /// Reports a refusal after unlocking.
    private func counting<Value: Sendable>(
        _ peer: String,
        _ body: (inout ServerUsage) throws(ServerRefusal) -> Value
    ) throws(ServerRefusal) -> Value {
        do throws(ServerRefusal) {
            return try usage.withLock { (usage) throws(ServerRefusal) in try body(&usage) }
        } catch {
            onRefusal(error, peer)
            throw error
        }
    }
}
