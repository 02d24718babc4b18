package import Statistics

/// The limits, the usage and the decisions of the embedded server.
package struct ServerUsage: Sendable {
    /// nil: the server is off.
    package var limits: ServerLimits?
    package private(set) var bytes = ByteCounts()
    package private(set) var rejected: [ServerRefusal.Reason: UInt64] = [:]
    package private(set) var tests = TestCounters()
    private var slots = ClientSlots()
    private var day = DailyBytes()

    /// The Retry-After of a refusal that the end of another test may lift.
    private static let briefly: Duration = .seconds(5)

    package init(limits: ServerLimits?) { self.limits = limits }

    /// Transfers in progress.
    package var activeTransfers: Int { slots.total }

    /// Throws where a client may not use the server, or a browser not for a page of `foreignOrigin`.
    package mutating func check(peer: String, foreignOrigin: String?) throws(ServerRefusal) {
        guard let limits, limits.allows(peer: peer) else { throw count(ServerRefusal(.address)) }
        if let foreignOrigin, !limits.origins.contains(foreignOrigin) { throw count(ServerRefusal(.crossSite)) }
    }

    /// Begins a transfer, which `end` must end; `uploadSize` is nil where it is not known.
    ///
    /// - Returns: The byte limit of the transfer.
    package mutating func begin(
        peer: String,
        uploadSize: UInt64? = nil,
        test: String? = nil,
        at now: ContinuousClock.Instant
    ) throws(ServerRefusal) -> UInt64 {
        guard let limits else { throw count(ServerRefusal(.address)) }
        let remaining = day.remaining(of: limits.maxBytesPerDay, at: now)
        if let uploadSize, uploadSize > limits.maxBytes { throw count(ServerRefusal(.bytes)) }
        guard remaining > 0, remaining >= uploadSize ?? 0 else { throw count(endOfDay(at: now)) }
        let hasRoom = slots.enter(
            peer,
            clientLimit: limits.maxClients,
            transferLimit: ServerLimits.transfersPerClient
        )
        guard hasRoom else { throw count(ServerRefusal(.clients, retryAfter: Self.briefly)) }
        if let test { tests.begin(test, at: now) }
        return min(limits.maxBytes, remaining)
    }

    /// Counts bytes of a transfer; an error ends it, and its bytes count all the same.
    package mutating func add(
        _ counts: ByteCounts,
        of transfer: ServerTransfer.Facts,
        at now: ContinuousClock.Instant
    ) throws(ServerRefusal) {
        bytes += counts
        day.add(counts.total, at: now)
        if let test = transfer.test { tests.add(counts.received, to: test, at: now) }
        if let refusal = refusal(of: transfer, at: now) { throw transfer.isRefused ? refusal : count(refusal) }
    }

    /// By the present limits, so that a reload ends the transfers that it forbids.
    private func refusal(of transfer: ServerTransfer.Facts, at now: ContinuousClock.Instant) -> ServerRefusal? {
        guard let limits else { return ServerRefusal(.address) }
        if transfer.bytes > limits.maxBytes { return ServerRefusal(.bytes) }
        if transfer.began + limits.maxDuration < now { return ServerRefusal(.duration, retryAfter: .seconds(1)) }
        let isUsedUp = day.remaining(of: limits.maxBytesPerDay, at: now) == 0
        return isUsedUp && !transfer.isAtEnd ? endOfDay(at: now) : nil
    }

    /// Counts bytes of a refused upload that arrived and were not read.
    ///
    /// They are bytes of the day where the upload had begun: else a client that is never served could use up the day.
    package mutating func discard(
        _ bytes: UInt64,
        from transfer: ServerTransfer.Facts?,
        at now: ContinuousClock.Instant
    ) {
        self.bytes.received &+= bytes
        if transfer != nil { day.add(bytes, at: now) }
    }

    /// Ends a transfer; `transfer` is that of one whose connection was cut without a refusal, which may have lasted too
    /// long.
    ///
    /// - Returns: The refusal of such a transfer.
    @discardableResult
    package mutating func end(
        peer: String,
        cut transfer: ServerTransfer.Facts? = nil,
        at now: ContinuousClock.Instant
    ) -> ServerRefusal? {
        slots.leave(peer)
        guard let transfer, let limits, transfer.began + limits.maxDuration < now else { return nil }
        return count(ServerRefusal(.duration))
    }

    private func endOfDay(at now: ContinuousClock.Instant) -> ServerRefusal {
        ServerRefusal(.bytesPerDay, retryAfter: day.untilNextDay(at: now))
    }

    private mutating func count(_ refusal: ServerRefusal) -> ServerRefusal {
        rejected[refusal.reason, default: 0] += 1
        return refusal
    }
}

/// The number of transfers of each client.
package struct ClientSlots: Sendable, Equatable {
    private var transfers: [String: Int] = [:]

    package init() {}

    /// Of all clients.
    package var total: Int { transfers.values.reduce(0, +) }

    /// Adds a transfer of a client, unless there are too many clients or too many transfers of this one.
    package mutating func enter(_ client: String, clientLimit: Int, transferLimit: Int) -> Bool {
        let count = transfers[client, default: 0]
        guard count < transferLimit, count > 0 || transfers.count < clientLimit else { return false }
        transfers[client] = count + 1
        return true
    }

    /// Removes a transfer.
    package mutating func leave(_ client: String) {
        guard let count = transfers[client] else { return }
        transfers[client] = count > 1 ? count - 1 : nil
    }
}

/// The bytes of a day, which begins with the first byte and lasts 24 hours on a clock that is never set.
package struct DailyBytes: Sendable, Equatable {
    private static let day: Duration = .seconds(86_400)

    private var used: UInt64 = 0
    private var end: ContinuousClock.Instant?

    package init() {}

    /// Counts bytes.
    package mutating func add(_ bytes: UInt64, at now: ContinuousClock.Instant) {
        if end.map({ $0 <= now }) ?? true {
            end = now + Self.day
            used = 0
        }
        used = used.addingSaturated(bytes)
    }

    /// The rest of a limit.
    package func remaining(of limit: UInt64, at now: ContinuousClock.Instant) -> UInt64 {
        guard let end, now < end else { return limit }
        return limit > used ? limit - used : 0
    }

    /// The time until the whole limit is available again.
    package func untilNextDay(at now: ContinuousClock.Instant) -> Duration {
        end.map { max(.zero, now.duration(to: $0)) } ?? .zero
    }
}
