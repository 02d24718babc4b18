package import FoundationEssentials
import Locking

extension RequestQueue {
    /// A request in the queue, and what was tried.
    package struct Overview: Sendable {
        /// Without its body.
        package let request: RetryableRequest
        package let isSending: Bool
        /// Of the last try with an answer; nil before the first.
        package let lastStatus: Int?
        /// Why the last try brought no answer; nil where it brought one.
        package let lastError: String?
    }

    /// All requests in the order of their acceptance; empty where the file cannot be read.
    package func overview() async -> [Overview] {
        guard let requests = try? await opening.store().requests(withBodies: false) else { return [] }
        // One may have left the queue, but not the file.
        return machine.withLock { machine in
            requests.compactMap { request in
                machine.entry(request.id).map { entry in
                    Overview(
                        request: request.copy(retryCount: entry.retryCount),
                        isSending: entry.isSending,
                        lastStatus: entry.lastStatus,
                        lastError: entry.lastError
                    )
                }
            }
        }
    }

    /// Discards several requests in one transaction; an id that is not in the queue is left out.
    package func cancelRequests(ids: [UUID]) async throws {
        let store = try await opening.store()
        let sequences = machine.withLock { machine in ids.compactMap { machine.withdraw($0) } }
        try await forget(sequences, in: store)
    }

    /// What the queue holds at most from now on; what it has stays.
    package func apply(_ limits: QueueLimits) {
        machine.withLock { $0.limits = limits }
        alarm.wake()
    }

    /// Looks again at the requests that wait for a requirement.
    package func reconsider() { alarm.wake() }
}
