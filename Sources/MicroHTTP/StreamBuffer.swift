import Coordination

/// The bytes between the task of a streamed response and the event thread: at most `capacity` and one chunk.
///
/// At most twice that is in memory, since taken bytes are dropped once they are half of it.
final class StreamBuffer: Sendable {
    /// The result of `take`.
    enum Taken: Equatable {
        case bytes(Int)
        case nothingYet
        case end
        case failure
    }

    private struct State {
        var bytes: [UInt8] = []
        /// How many of `bytes` have been taken.
        var taken = 0
        var isFinished = false
        var isFailed = false
        /// The reader has gone.
        var isClosed = false
        var writers: [CheckedContinuation<Void, Never>] = []

        var count: Int { bytes.count - taken }

        mutating func takeWriters() -> [CheckedContinuation<Void, Never>] {
            defer { writers = [] }
            return writers
        }
    }

    private let capacity: Int
    private let state = Locked(State())
    /// Called, unlocked, after each change that concerns the event thread.
    private let onChange: @Sendable () -> Void

    init(capacity: Int, onChange: @escaping @Sendable () -> Void) {
        self.capacity = capacity
        self.onChange = onChange
    }

    /// How many bytes wait for the event thread.
    var count: Int { state.withLock { $0.count } }

    /// How many bytes are in memory: those that wait, and those taken but not dropped yet.
    var storedBytes: Int { state.withLock { $0.bytes.count } }

    func write(_ chunk: [UInt8]) async throws {
        guard !chunk.isEmpty else { return }
        while true {
            try Task.checkCancellation()
            let accepted: Bool? = state.withLock { state in
                if state.isClosed { return nil }
                guard state.count < capacity else { return false }
                state.bytes.append(contentsOf: chunk)
                return true
            }
            guard let accepted else { throw CancellationError() }
            if accepted { return onChange() }
            await waitForSpace()
        }
    }

    /// Ends the stream; with a failure the client sees a cut connection instead of the end.
    func finish(isFailed: Bool) {
        state.withLock {
            $0.isFinished = true
            $0.isFailed = isFailed
        }
        onChange()
    }

    /// Ends the reading: writers get `CancellationError`.
    func close() {
        let writers = state.withLock { state in
            state.isClosed = true
            state.bytes = []
            state.taken = 0
            return state.takeWriters()
        }
        for writer in writers { writer.resume() }
    }

    /// Copies available bytes into `target`.
    func take(into target: UnsafeMutableRawBufferPointer) -> Taken {
        let (taken, writers): (Taken, [CheckedContinuation<Void, Never>]) = state.withLock { state in
            guard state.count > 0 else {
                return (state.isFailed || state.isClosed ? .failure : state.isFinished ? .end : .nothingYet, [])
            }
            let length = min(target.count, state.count)
            target.copyBytes(from: state.bytes[state.taken..<state.taken + length])
            state.taken += length
            // Moves fewer bytes than were taken since the last time, also for a reader that never catches up.
            if state.taken >= state.count {
                state.bytes.removeFirst(state.taken)
                state.taken = 0
            }
            return (.bytes(length), state.count < capacity ? state.takeWriters() : [])
        }
        for writer in writers { writer.resume() }
        return taken
    }

    private func waitForSpace() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.isClosed || state.count < capacity { return true }
                    state.writers.append(continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            close()
        }
    }
}
