import Coordination

/// Carries a body from the loop's thread, which never waits, to a task that may take its time.
final class DownloadBuffer: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var isPaused = false
    }

    /// Bytes kept for a slow reader; libcurl keeps one read more, and the rest stays with the sender.
    private static let capacity = 262_144

    private let state = Locked(State())
    // One element for any number of bytes.
    private let arrivals = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    /// Takes what arrived; false when there is no room, and the transfer has to pause.
    func offer(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let isTaken = state.withLock { state in
            guard state.bytes.isEmpty || state.bytes.count + bytes.count <= Self.capacity else {
                state.isPaused = true
                return false
            }
            // More is coming than is taken: no growing in steps.
            if !state.bytes.isEmpty { state.bytes.reserveCapacity(Self.capacity) }
            state.bytes.append(contentsOf: bytes)
            return true
        }
        if isTaken { arrivals.continuation.yield() }
        return isTaken
    }

    /// No more will arrive.
    func finish() {
        arrivals.continuation.finish()
    }

    /// Hands everything over until `finish`, or until the task is cancelled; `resume` lets a paused transfer go on.
    func drain(
        into receive: @Sendable ([UInt8]) async throws -> Void,
        resume: @Sendable () -> Void
    ) async throws {
        for await _ in arrivals.stream { try await deliver(to: receive, resume: resume) }
        // What came with the end.
        try await deliver(to: receive, resume: resume)
    }

    private func deliver(
        to receive: @Sendable ([UInt8]) async throws -> Void,
        resume: @Sendable () -> Void
    ) async throws {
        while true {
            try Task.checkCancellation()
            let (bytes, wasPaused) = state.withLock { state in
                defer { state = State() }
                return (state.bytes, state.isPaused)
            }
            // First the next bytes on their way, then the reader's work.
            if wasPaused { resume() }
            guard !bytes.isEmpty else { return }
            try await receive(bytes)
        }
    }
}
