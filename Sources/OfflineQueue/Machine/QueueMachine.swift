import FoundationEssentials

/// Decides what is sent next, and what becomes of it: pure, with the time as a parameter.
///
/// A lane is the requests of one ordering key. Only the first of a lane is ever sent, so that a request which keeps failing
/// holds up its own lane and no other.
struct QueueMachine: Sendable {
    /// What to do now, and when to ask again.
    struct Plan: Equatable {
        /// To be sent; they count as being sent from here on.
        var sends: [Int64] = []
        /// Too old; they have left the machine.
        var expired: [Int64] = []
        /// nil: only after an event.
        var wake: Duration?
        /// A request that is due waits for a requirement.
        var waitsForRequirement = false
    }

    /// How a try ended.
    enum Attempt: Equatable {
        case answered(status: Int, retryAfter: Duration?)
        /// Without an answer.
        case failed
        /// Not made: the name of the host led to an address that is not allowed, which another network may change.
        case forbiddenAddress
        /// Not made: its host, or the address in its URL, is not allowed.
        case forbidden
        /// By the end of the queue.
        case interrupted
    }

    /// What follows from a try.
    enum Verdict: Equatable {
        case delivered
        case discard(DiscardReason)
        /// `counts`: an answer failed it, which has to be stored.
        case retry(due: Duration, counts: Bool)
        /// It had left the queue meanwhile.
        case withdrawn
    }

    var limits: QueueLimits
    /// nil: not known yet, in which case nothing is sent.
    private(set) var isOnline: Bool?
    private(set) var entries: [Int64: QueueEntry] = [:]
    private var lanes: [String: [Int64]] = [:]
    private var sequences: [UUID: Int64] = [:]
    /// Space of requests that are being stored.
    private var reserved = (count: 0, bytes: 0)
    private var counters = QueueStatistics()
    private var sending = 0
    /// No entry expires before.
    private var nextExpiry: Duration?

    init(limits: QueueLimits = QueueLimits()) { self.limits = limits }

    // MARK: - Accepting

    /// Makes room for a request that is about to be stored.
    mutating func reserve(_ size: Int) throws(OfflineError) {
        guard size <= limits.maxBytes else { throw .tooLarge(size) }
        guard counters.pending + reserved.count < limits.maxRequests,
            counters.bytes + reserved.bytes + size <= limits.maxBytes
        else { throw .full }
        reserved = (reserved.count + 1, reserved.bytes + size)
    }

    /// Returns the room: the request was added, was known already, or could not be stored.
    mutating func release(reserved size: Int) {
        reserved = (reserved.count - 1, reserved.bytes - size)
    }

    /// Counts a request that was not accepted.
    mutating func reject(_ error: OfflineError) {
        guard let reason = RejectionReason(error) else { return }
        counters.rejected[reason, default: 0] += 1
    }

    /// Adds a request that is stored; `isNew`: it was not there when the queue was opened.
    mutating func add(_ entry: QueueEntry, isNew: Bool = true) {
        entries[entry.sequence] = entry
        sequences[entry.id] = entry.sequence
        // Requests are stored in their order, but those that are stored at once may be added in another one.
        let index = lanes[entry.lane]?.lastIndex { $0 < entry.sequence }.map { $0 + 1 } ?? 0
        lanes[entry.lane, default: []].insert(entry.sequence, at: index)
        nextExpiry = min(nextExpiry ?? entry.expires, entry.expires)
        counters.pending += 1
        counters.bytes += entry.size
        if isNew { counters.enqueued += 1 }
    }

    // MARK: - Sending

    mutating func setOnline(_ isOnline: Bool, now: Duration) {
        defer { self.isOnline = isOnline }
        guard isOnline, self.isOnline != true else { return }
        for lane in lanes.values {
            guard let head = lane.first, entries[head]?.waitsForNetwork == true else { continue }
            entries[head]?.due = now
        }
    }

    /// The requirements that decide what can be sent now.
    var requirements: Set<String> {
        Set(lanes.values.compactMap { $0.first.flatMap { entries[$0]?.requirement } })
    }

    /// Decides what is sent now: of the lanes that are due, those that have waited longest.
    mutating func plan(now: Duration, satisfied: Set<String> = []) -> Plan {
        var plan = Plan(expired: takeExpired(now))
        plan.wake = nextExpiry
        guard isOnline == true else { return plan }
        var ready: [QueueEntry] = []
        for lane in lanes.values {
            guard let head = lane.first.flatMap({ entries[$0] }), !head.isSending else { continue }
            if head.due > now {
                plan.wake = min(plan.wake ?? head.due, head.due)
            } else if let requirement = head.requirement, !satisfied.contains(requirement) {
                plan.waitsForRequirement = true
            } else {
                ready.append(head)
            }
        }
        ready.sort { ($0.due, $0.sequence) < ($1.due, $1.sequence) }
        plan.sends = ready.prefix(max(0, limits.maxInFlight - sending)).map(\.sequence)
        for sequence in plan.sends { entries[sequence]?.isSending = true }
        sending += plan.sends.count
        return plan
    }

    /// Decides what follows from a try; its lane waits until `remove` or `release`.
    mutating func end(
        _ sequence: Int64,
        _ attempt: Attempt,
        error: String? = nil,
        now: Duration,
        jitter: Double
    ) -> Verdict {
        guard var entry = entries[sequence], !entry.isWithdrawn else { return .withdrawn }
        let retryAfter: Duration?
        switch attempt {
        case .interrupted: return .retry(due: now, counts: false)
        case .forbidden: return .discard(.host)
        case .failed, .forbiddenAddress:
            (entry.lastError, retryAfter) = (error, nil)
            entry.lastFailure = attempt == .failed ? .noAnswer : .address
        case .answered(let status, let wait):
            (entry.lastError, entry.lastFailure, retryAfter) = (nil, .status, wait)
            entry.lastStatus = status
            switch status {
            case 200..<300: return .delivered
            case 408, 425, 429: break
            case 400..<500: return .discard(.status)
            default: break
            }
            entry.retryCount += 1
            if entry.maxRetries > 0, entry.retryCount >= entry.maxRetries { return .discard(.retries) }
        }
        entry.due = now + Backoff.delay(after: entry.failures, retryAfter: retryAfter, jitter: jitter)
        entry.failures += 1
        entries[sequence] = entry
        counters.retries += 1
        if attempt == .forbiddenAddress { counters.forbiddenAddresses += 1 }
        return .retry(due: entry.due, counts: entry.lastFailure == .status)
    }

    /// Lets the lane go on with the same request.
    mutating func release(_ sequence: Int64) {
        guard entries[sequence]?.isSending == true else { return }
        entries[sequence]?.isSending = false
        sending -= 1
        guard let entry = entries[sequence], !entry.isWithdrawn else { return drop(sequence) }
        // It may have become too old meanwhile.
        nextExpiry = min(nextExpiry ?? entry.expires, entry.expires)
    }

    /// Takes a request out that was delivered (nil) or discarded, and lets its lane go on with the next.
    mutating func remove(_ sequence: Int64, _ reason: DiscardReason?) {
        guard let entry = entries[sequence] else { return }
        if !entry.isWithdrawn { count(out: entry, reason) }
        if entry.isSending { sending -= 1 }
        drop(sequence)
    }

    // MARK: - Verbs

    /// Makes a request due at once; false where there is none of this id.
    mutating func retry(_ id: UUID, now: Duration) -> Bool {
        guard let sequence = sequences[id] else { return false }
        entries[sequence]?.due = now
        return true
    }

    /// Makes every request due at once.
    mutating func retryAll(now: Duration) {
        for (sequence, entry) in entries where entry.due > now { entries[sequence]?.due = now }
    }

    /// Takes a request out, whatever its state; nil where there is none of this id.
    mutating func withdraw(_ id: UUID, _ reason: DiscardReason = .cancelled) -> Int64? {
        guard let sequence = sequences.removeValue(forKey: id), let entry = entries[sequence] else { return nil }
        count(out: entry, reason)
        // What is being sent cannot be called back: the lane waits for its end.
        if entry.isSending { entries[sequence]?.isWithdrawn = true } else { drop(sequence) }
        return sequence
    }

    /// Takes every request out.
    mutating func withdrawAll() -> [Int64] {
        sequences.keys.compactMap { withdraw($0, .reset) }
    }

    // MARK: - Reading

    /// The entry of a request that has not left the queue.
    func entry(_ id: UUID) -> QueueEntry? { sequences[id].flatMap { entries[$0] } }

    func statistics(now: Duration) -> QueueStatistics {
        var statistics = counters
        statistics.oldestAge = entries.values.lazy.filter { !$0.isWithdrawn }.map(\.made).min().map { now - $0 }
        return statistics
    }

    private mutating func takeExpired(_ now: Duration) -> [Int64] {
        guard let nextExpiry, nextExpiry <= now else { return [] }
        let expired = entries.values.filter { $0.expires <= now && !$0.isSending }.map(\.sequence).sorted()
        for sequence in expired { remove(sequence, .expired) }
        self.nextExpiry = entries.values.lazy.filter { !$0.isSending }.map(\.expires).min()
        return expired
    }

    private mutating func count(out entry: QueueEntry, _ reason: DiscardReason?) {
        counters.pending -= 1
        counters.bytes -= entry.size
        if let reason { counters.discarded[reason, default: 0] += 1 } else { counters.delivered += 1 }
    }

    private mutating func drop(_ sequence: Int64) {
        guard let entry = entries.removeValue(forKey: sequence) else { return }
        if sequences[entry.id] == sequence { sequences[entry.id] = nil }
        guard var lane = lanes[entry.lane], let index = lane.firstIndex(of: sequence) else { return }
        lanes[entry.lane] = nil
        lane.remove(at: index)
        if !lane.isEmpty { lanes[entry.lane] = lane }
    }
}
