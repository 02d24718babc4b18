import Coordination

/// Carries a body from a task that may take its time to the loop's thread, which never waits.
///
/// The task is asked for the next bytes when the socket has taken the last ones.
final class UploadBuffer: Sendable {
    /// What the loop's thread gets.
    enum Piece: Equatable {
        case bytes(Int)
        case end
        /// Nothing yet: the transfer pauses until `resume`.
        case pause
        /// The body is not as long as was said.
        case wrongLength
    }

    private struct State {
        var bytes: [UInt8] = []
        var sent = 0
        var isEnded = false
        var isPaused = false
        /// Still to come, by what was said; nil: nothing was.
        var remaining: Int64?
    }

    /// The most that is asked for at once.
    private static let limit = 131_072

    private let state: Locked<State>
    private let demand = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    init(length: Int64?) {
        state = Locked(State(remaining: length))
        demand.continuation.yield()
    }

    /// Fills `target` as far as there are bytes.
    func take(into target: UnsafeMutableRawBufferPointer) -> Piece {
        let (piece, isDry) = state.withLock { state -> (Piece, Bool) in
            let count = min(target.count, state.bytes.count - state.sent)
            if let remaining = state.remaining, count > remaining || state.isEnded && count == 0 && remaining > 0 {
                return (.wrongLength, false)
            }
            guard count > 0 else {
                state.isPaused = !state.isEnded
                return (state.isEnded ? .end : .pause, false)
            }
            target.copyBytes(from: state.bytes[state.sent..<state.sent + count])
            state.sent += count
            state.remaining? -= Int64(count)
            return (.bytes(count), state.sent == state.bytes.count && !state.isEnded)
        }
        if isDry { demand.continuation.yield() }
        return piece
    }

    /// Asks `next` whenever there is room, until it ends or the task is cancelled; `resume` lets a paused transfer go on.
    func fill(
        from next: @Sendable (_ limit: Int) async throws -> [UInt8]?,
        resume: @Sendable () -> Void
    ) async throws {
        for await _ in demand.stream {
            var bytes: [UInt8]? = []
            while bytes?.isEmpty == true {
                try Task.checkCancellation()
                bytes = try await next(Self.limit)
            }
            if supply(bytes) { resume() }
            if bytes == nil { return }
        }
    }

    /// Whether the transfer was waiting for it.
    private func supply(_ bytes: [UInt8]?) -> Bool {
        state.withLock { state in
            state.bytes = bytes ?? []
            state.sent = 0
            state.isEnded = bytes == nil
            defer { state.isPaused = false }
            return state.isPaused
        }
    }
}
