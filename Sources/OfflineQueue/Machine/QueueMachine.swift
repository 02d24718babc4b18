import FoundationEssentials

/// Decides what is sent next, and what becomes of it: pure, with the time as a parameter.
///
/// Of each ``QueueLane`` one request is sent at a time, so that a request which keeps failing holds up its own lane at most, and
/// one of all lanes to a ``QueueServer`` that does not answer.
struct QueueMachine: Sendable {
    private(set) var limits: QueueLimits
    /// nil: not known yet, in which case nothing is sent.
    private(set) var isOnline: Bool?
    private(set) var entries: [Int64: QueueEntry] = [:]
    private var lanes: [QueueLane.Key: QueueLane] = [:]
    private var servers: [String: QueueServer] = [:]
    private var sequences: [UUID: Int64] = [:]
    /// Space of requests that are being stored.
    private var reserved = (count: 0, bytes: 0)
    private var counters = QueueStatistics()
    private var sending = (count: 0, bytes: 0)
    /// No entry expires before.
    private var nextExpiry: Duration?

    init(limits: QueueLimits = QueueLimits()) { self.limits = limits }

    /// Takes new limits; a new age also holds for what waits.
    mutating func apply(_ limits: QueueLimits) {
        self.limits = limits
        nextExpiry = firstExpiry
    }

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
        lanes[entry.lane, default: QueueLane(entry.lane)].insert(entry)
        servers[entry.server, default: QueueServer()].requests += 1
        noteExpiry(of: entry)
        counters.pending += 1
        counters.bytes += entry.size
        if isNew { counters.enqueued += 1 }
    }

    // MARK: - Sending

    mutating func setOnline(_ isOnline: Bool) {
        defer { self.isOnline = isOnline }
        guard isOnline, self.isOnline != true else { return }
        // Before those that were never tried, since they were accepted before them.
        reschedule(to: .zero) { $0.waitsForNetwork }
        // A try that is on the way may still fail of the outage: its wait is as short as the first one.
        for (sequence, entry) in entries where entry.isSending && entry.waitsForNetwork {
            entries[sequence]?.failures = 0
        }
        for key in lanes.keys { lanes[key]?.networkReturned() }
        for key in servers.keys { servers[key]?.networkReturned() }
    }

    /// The requirements that decide what can be sent now.
    var requirements: Set<String> {
        Set(lanes.values.flatMap { $0.heads.compactMap { entries[$0]?.requirement } })
    }

    /// Decides what is sent now: of the lanes that are due, those that have waited longest.
    mutating func plan(now: Duration, satisfied: Set<String> = []) -> Plan {
        var plan = Plan(expired: takeExpired(now))
        plan.wake = nextExpiry
        guard isOnline == true else { return plan }
        var ready = lanes.values.compactMap { next(of: $0, now: now, satisfied: satisfied, &plan) }
        ready.sort { ($0.since, $0.entry.sequence) < ($1.since, $1.entry.sequence) }
        for (entry, _) in ready {
            guard servers[entry.server]?.hasRoom != false else { continue }
            guard hasRoom(for: entry) else {
                // Later ones would keep it from ever being alone.
                if entry.size > limits.maxInFlightBytes { break }
                continue
            }
            lanes[entry.lane]?.remove(entry)
            lanes[entry.lane]?.isSending = true
            entries[entry.sequence]?.isSending = true
            plan.sends.append(entry.sequence)
            servers[entry.server]?.sending += 1
            sending = (sending.count + 1, sending.bytes + entry.size)
        }
        return plan
    }

    /// Whether one more may be sent beside those that are.
    private func hasRoom(for entry: QueueEntry) -> Bool {
        sending.count < limits.maxInFlight
            && (sending.count == 0 || entry.size <= limits.maxInFlightBytes - sending.bytes)
    }

    private mutating func endSending(_ entry: QueueEntry) {
        sending = (sending.count - 1, sending.bytes - entry.size)
        lanes[entry.lane]?.isSending = false
        servers[entry.server]?.sending -= 1
    }

    /// The request of a lane that can be sent now, and since when; the plan gets what the lane waits for.
    private func next(
        of lane: QueueLane,
        now: Duration,
        satisfied: Set<String>,
        _ plan: inout Plan
    ) -> (entry: QueueEntry, since: Duration)? {
        guard !lane.isSending else { return nil }
        var next: QueueEntry?
        for entry in lane.heads.compactMap({ entries[$0] }) {
            let due = max(entry.due, lane.resumes)
            if due > now {
                plan.wake = min(plan.wake ?? due, due)
            } else if let requirement = entry.requirement, !satisfied.contains(requirement) {
                plan.waitsForRequirement = true
            } else if next.map({ (entry.due, entry.sequence) < ($0.due, $0.sequence) }) ?? true {
                next = entry
            }
        }
        // A lane that has paused has no older claim than one that was never sent.
        return next.map { ($0, max($0.due, lane.resumes)) }
    }

    /// Decides what follows from a try; its lane waits until `remove` or `release`.
    mutating func end(
        _ sequence: Int64,
        _ attempt: Attempt,
        error: String? = nil,
        now: Duration,
        jitter: Double
    ) -> Verdict {
        guard var entry = entries[sequence] else { return .withdrawn }
        pace(entry.lane, after: attempt, now: now, jitter: jitter)
        servers[entry.server]?.end(attempt)
        guard !entry.isWithdrawn else { return .withdrawn }
        let retryAfter: Duration?
        switch attempt {
        case .interrupted: return .retry(due: now, counts: false)
        case .forbidden: return .discard(.host)
        case .invalid: return .discard(.invalid)
        case .failed, .forbiddenAddress: (entry.lastError, retryAfter) = (error, nil)
        case .answered(let status, let wait):
            (entry.lastError, entry.lastStatus, retryAfter) = (nil, status, wait)
            if (200..<300).contains(status) { return .delivered }
            if attempt.failure == nil { return .discard(.status) }
            entry.retryCount += 1
            if entry.maxRetries > 0, entry.retryCount >= entry.maxRetries { return .discard(.retries) }
        }
        entry.lastFailure = attempt.failure
        entry.due = now + Backoff.delay(after: entry.failures, retryAfter: retryAfter, jitter: jitter)
        entry.failures += 1
        entries[sequence] = entry
        counters.retries += 1
        if attempt == .forbiddenAddress { counters.forbiddenAddresses += 1 }
        return .retry(due: entry.due, counts: entry.lastFailure == .status)
    }

    /// A lane pauses after a failed try, and goes on after an answer that ends a request.
    private mutating func pace(_ lane: QueueLane.Key, after attempt: Attempt, now: Duration, jitter: Double) {
        switch (attempt.failure, attempt) {
        case (let failure?, .answered(_, let retryAfter)):
            lanes[lane]?.fail(failure, retryAfter: retryAfter, now: now, jitter: jitter)
        case (let failure?, _): lanes[lane]?.fail(failure, retryAfter: nil, now: now, jitter: jitter)
        case (nil, .answered): lanes[lane]?.resume()
        case (nil, _): break
        }
    }

    /// Lets the lane go on with this request in it.
    mutating func release(_ sequence: Int64) {
        guard let entry = entries[sequence], entry.isSending else { return }
        endSending(entry)
        entries[sequence]?.isSending = false
        guard !entry.isWithdrawn else { return drop(sequence) }
        entries[sequence].map { lanes[entry.lane]?.insert($0) }
        // It may have become too old meanwhile.
        noteExpiry(of: entry)
    }

    /// Takes a request out that was delivered (nil) or discarded, and lets its lane go on with the next.
    mutating func remove(_ sequence: Int64, _ reason: DiscardReason?) {
        guard let entry = entries[sequence] else { return }
        if !entry.isWithdrawn { count(out: entry, reason) }
        if entry.isSending { endSending(entry) }
        drop(sequence)
    }

    // MARK: - Verbs

    /// Makes a request due at once; false where there is none of this id.
    mutating func retry(_ id: UUID) -> Bool {
        guard let sequence = sequences[id], let entry = entries[sequence] else { return false }
        guard !entry.isSending else { return true }
        lanes[entry.lane]?.remove(entry)
        // Before the others of its host.
        entries[sequence]?.due = .zero
        entries[sequence].map { lanes[entry.lane]?.insert($0) }
        lanes[entry.lane]?.resume()
        return true
    }

    /// Makes every request due at once.
    mutating func retryAll(now: Duration) {
        reschedule(to: now) { $0.due > now }
        for key in lanes.keys { lanes[key]?.resume() }
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

    /// Makes those due that wait for their next try, all at once: one by one would take long with many.
    private mutating func reschedule(to due: Duration, where isMeant: (QueueEntry) -> Bool) {
        var changed: Set<QueueLane.Key> = []
        for (sequence, entry) in entries where !entry.isSending && isMeant(entry) {
            entries[sequence]?.due = due
            changed.insert(entry.lane)
        }
        for key in changed {
            guard var lane = lanes.removeValue(forKey: key) else { continue }
            lane.reorder { entries[$0]?.due ?? due }
            lanes[key] = lane
        }
    }

    private mutating func takeExpired(_ now: Duration) -> [Int64] {
        guard let nextExpiry, nextExpiry <= now else { return [] }
        let expired = entries.values.filter { expires($0) <= now && !$0.isSending }.map(\.sequence).sorted()
        for sequence in expired { remove(sequence, .expired) }
        self.nextExpiry = firstExpiry
        return expired
    }

    private func expires(_ entry: QueueEntry) -> Duration { entry.expires(after: limits.maxAge) }

    private mutating func noteExpiry(of entry: QueueEntry) {
        nextExpiry = min(nextExpiry ?? expires(entry), expires(entry))
    }

    /// When the first of those expires that are not being sent.
    private var firstExpiry: Duration? { entries.values.lazy.filter { !$0.isSending }.map(expires).min() }

    private mutating func count(out entry: QueueEntry, _ reason: DiscardReason?) {
        counters.pending -= 1
        counters.bytes -= entry.size
        if let reason { counters.discarded[reason, default: 0] += 1 } else { counters.delivered += 1 }
    }

    private mutating func drop(_ sequence: Int64) {
        guard let entry = entries.removeValue(forKey: sequence) else { return }
        if sequences[entry.id] == sequence { sequences[entry.id] = nil }
        lanes[entry.lane]?.remove(entry)
        if lanes[entry.lane]?.isEmpty == true { lanes[entry.lane] = nil }
        servers[entry.server]?.requests -= 1
        if servers[entry.server]?.requests == 0 { servers[entry.server] = nil }
    }
}
