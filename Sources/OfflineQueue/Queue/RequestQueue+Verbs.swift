import Coordination
public import FoundationEssentials

extension RequestQueue {
    /// What became of a request that was handed over.
    public struct Acceptance: Sendable, Equatable {
        /// That of the request, or of the earlier one with the same key.
        public let id: UUID
        /// Whether it was not known before.
        public let isNew: Bool
    }

    /// Stores a request, to be delivered as soon as the network is there.
    ///
    /// - Parameters:
    ///   - endpoint: An absolute http or https URL without user info, or one below the base URL.
    ///   - method: `GET`, `HEAD`, `POST`, `PUT`, `PATCH` or `DELETE`.
    ///   - body: nil: none.
    ///   - requestType: For the program: it finds it in ``deliveries`` again.
    ///   - maxRetries: How many answers may fail it; 0: as many as fit in its age.
    ///   - headers: Sent with every try; none that belongs to the connection, such as `Host` or `Content-Length`.
    /// - Returns: Its id; by then it is on the disk.
    /// - Throws: An ``OfflineError`` where it is not accepted.
    @discardableResult
    public func cacheRequest(
        endpoint: String,
        method: String,
        body: Data? = nil,
        requestType: String,
        maxRetries: Int = 0,
        headers: [String: String] = [:]
    ) async throws -> UUID {
        let request = RetryableRequest(
            endpoint: endpoint,
            method: method,
            body: body,
            timestamp: date(),
            maxRetries: maxRetries,
            requestType: requestType,
            headers: headers
        )
        return try await enqueue(request).id
    }

    /// Stores a request with everything that it can have.
    ///
    /// - Throws: An ``OfflineError`` where it is not accepted, and not stored.
    @discardableResult
    public func enqueue(_ request: RetryableRequest) async throws -> Acceptance {
        do throws(OfflineError) {
            let acceptance = try await accept(request)
            if acceptance.isNew { alarm.wake() }
            return acceptance
        } catch {
            machine.withLock { $0.reject(error) }
            throw error
        }
    }

    private func accept(_ request: RetryableRequest) async throws(OfflineError) -> Acceptance {
        let request = try request.checked(below: baseURL)
        if let requirement = request.requirement, isSatisfied == nil {
            throw .invalidRequest("this queue knows no requirement \(requirement.debugDescription)")
        }
        try sender.check(request)
        let store = try await opening.store()
        // A key of what has left the queue, but not the file, is not that of a request that waits.
        if removed.read({ !$0.isEmpty }) { try? await remove([], from: store) }
        let moment = QueueMoment(now: stopwatch.elapsed, date: date())
        let maxAge = machine.read { $0.limits.maxAge }
        guard QueueEntry(0, request, at: moment).expires(after: maxAge) > moment.now else {
            throw .invalidRequest("it is older than it may be")
        }
        do throws(OfflineError) {
            try machine.withLock { machine throws(OfflineError) in try machine.reserve(request.size) }
        } catch {
            // It takes no room where its key is known.
            guard let known = try? await store.known(request, since: keyDates.oldest) else { throw error }
            return Acceptance(id: known, isNew: false)
        }
        do {
            let (sequence, id) = try await store.insert(request, knowingKeysSince: keyDates.oldest)
            machine.withLock { machine in
                machine.release(reserved: request.size)
                if let sequence { machine.add(QueueEntry(sequence, request, at: moment)) }
            }
            return Acceptance(id: id, isNew: sequence != nil)
        } catch {
            machine.withLock { $0.release(reserved: request.size) }
            throw .storage(String(describing: error))
        }
    }

    /// Discards every request.
    ///
    /// One that is being sent may still arrive.
    public func reset() async throws {
        let store = try await opening.store()
        let sequences = machine.withLock { $0.withdrawAll() }
        try await forget(sequences, in: store)
    }

    /// Discards one request; false where there is none of this id.
    ///
    /// One that is being sent may still arrive.
    @discardableResult
    public func cancelRequest(id: UUID) async throws -> Bool {
        let store = try await opening.store()
        guard let sequence = machine.withLock({ $0.withdraw(id) }) else { return false }
        try await forget([sequence], in: store)
        return true
    }

    /// Ends the wait of one request between two tries; false where there is none of this id.
    ///
    /// It is sent as soon as the network is there and, with an ordering key, those before it are delivered.
    @discardableResult
    public func retryRequest(id: UUID) async -> Bool {
        _ = try? await opening.store()
        let isThere = machine.withLock { $0.retry(id) }
        alarm.wake()
        return isThere
    }

    /// Ends the wait of every request between two tries.
    public func forceTriggerRetry() async {
        _ = try? await opening.store()
        machine.withLock { $0.retryAll(now: stopwatch.elapsed) }
        alarm.wake()
    }

    func forget(_ sequences: [Int64], in store: QueueStore) async throws {
        alarm.wake()
        try await OfflineError.storing { try await remove(sequences, from: store) }
    }
}
