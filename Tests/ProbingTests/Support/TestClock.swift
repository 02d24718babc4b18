import Locking

/// A clock that stops until it is advanced.
final class TestClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Self { Self(offset: offset + duration) }
        func duration(to other: Self) -> Duration { other.offset - offset }
        static func < (one: Self, other: Self) -> Bool { one.offset < other.offset }
    }

    private struct State {
        var now = Duration.zero
        var sleepers: [Int: (deadline: Duration, continuation: CheckedContinuation<Void, any Error>)] = [:]
        /// Those that ended before they began.
        var cancelled: Set<Int> = []
        var nextSleeper = 0
    }

    private let state = Locked(State())
    /// The deadline of each sleep that begins.
    private let sleeps = AsyncStream<Duration>.makeStream()

    var now: Instant { Instant(offset: state.withLock { $0.now }) }
    var minimumResolution: Duration { .nanoseconds(1) }

    /// How many sleep at this moment.
    var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let sleeper = state.withLock { state in
            defer { state.nextSleeper += 1 }
            return state.nextSleeper
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let ending: Result<Void, any Error>? = state.withLock { state in
                    if state.cancelled.remove(sleeper) != nil { return .failure(CancellationError()) }
                    if deadline.offset <= state.now { return .success(()) }
                    state.sleepers[sleeper] = (deadline.offset, continuation)
                    return nil
                }
                if let ending { continuation.resume(with: ending) } else { sleeps.continuation.yield(deadline.offset) }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                let found = state.sleepers.removeValue(forKey: sleeper)
                if found == nil { state.cancelled.insert(sleeper) }
                return found?.continuation
            }
            continuation?.resume(throwing: CancellationError())
        }
    }

    /// Waits until a task sleeps up to this time.
    func waitForSleep(until deadline: Duration) async {
        for await sleep in sleeps.stream where sleep == deadline { return }
    }

    /// Advances the time, and ends the sleeps that are over.
    func advance(to now: Duration) {
        let woken = state.withLock { state in
            state.now = now
            let due = state.sleepers.filter { $0.value.deadline <= now }
            for sleeper in due.keys { state.sleepers[sleeper] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }
}
