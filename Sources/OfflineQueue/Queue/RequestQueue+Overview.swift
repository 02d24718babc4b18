import Coordination
package import FoundationEssentials

extension RequestQueue {
    /// A request in the queue, and what was tried.
    package struct Overview: Sendable, Equatable {
        /// Without its body.
        package let request: RetryableRequest
        package let isSending: Bool
        /// Why the last try did not deliver it; nil before its end.
        package let lastFailure: TryFailure?
        /// Of the last try with an answer; nil before the first.
        package let lastStatus: Int?
        /// Why the last try brought no answer; nil where it brought one.
        package let lastError: String?

        init(_ request: RetryableRequest, _ entry: QueueEntry) {
            self.request = request.copy(retryCount: entry.retryCount)
            (isSending, lastFailure) = (entry.isSending, entry.lastFailure)
            (lastStatus, lastError) = (entry.lastStatus, entry.lastError)
        }
    }

    /// All requests in the order of their acceptance.
    ///
    /// - Returns: the requests.
    /// - Throws: `storage` where the file cannot be read.
    package func overview() async throws(OfflineError) -> [Overview] {
        let store = try await opening.store()
        let requests = try await OfflineError.storing { try await store.requests(withBodies: false) }
        // One may have left the queue, but not the file.
        return machine.withLock { machine in
            requests.compactMap { request in machine.entry(request.id).map { Overview(request, $0) } }
        }
    }

    /// One request.
    ///
    /// - Parameter id: of the request.
    /// - Returns: nil where there is none of this id.
    /// - Throws: `storage` where the file cannot be read.
    package func overview(id: UUID) async throws(OfflineError) -> Overview? {
        let store = try await opening.store()
        guard let entry = machine.withLock({ $0.entry(id) }) else { return nil }
        let request = try await OfflineError.storing { try await store.request(entry.sequence, withBody: false) }
        return request.map { Overview($0, entry) }
    }

    /// Discards every request that has another type than this.
    package func reset(except type: String) async throws {
        let store = try await opening.store()
        let ids = try await OfflineError.storing { try await store.ids(ofOtherTypesThan: type) }
        let sequences = machine.withLock { machine in ids.compactMap { machine.withdraw($0, .reset) } }
        try await forget(sequences, in: store)
    }

    /// What the queue holds at most from now on, and for how long; what it has beyond the new size stays.
    package func apply(_ limits: QueueLimits) {
        machine.withLock { $0.apply(limits) }
        alarm.wake()
    }

    /// Looks again at the requests that wait for a requirement.
    package func reconsider() { alarm.wake() }
}
