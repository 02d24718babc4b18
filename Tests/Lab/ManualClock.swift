import Coordination

/// A clock that only the test advances.
package final class ManualClock: Clock, Sendable {
    package struct Instant: InstantProtocol {
        package var offset: Duration

        package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        package func duration(to other: Instant) -> Duration { other.offset - offset }
        package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private enum Condition {
        case count(Int)
        case deadline(Instant)
        case started(Int)
    }

    private struct State {
        var now = Instant(offset: .zero)
        var nextID = 0
        /// How many sleeps have begun.
        var started = 0
        var sleepers: [Int: (until: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var watchers: [(condition: Condition, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Locked(State())

    package init() {}

    package var now: Instant { state.withLock { $0.now } }
    package var minimumResolution: Duration { .zero }
    /// How many tasks sleep.
    package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (isDue, watchers) = state.withLock { state in
                    guard state.now < deadline, !Task.isCancelled else { return (true, Self.due(&state)) }
                    state.sleepers[id] = (deadline, continuation)
                    state.started += 1
                    return (false, Self.due(&state))
                }
                if isDue { continuation.resume(with: Result { try Task.checkCancellation() }) }
                for watcher in watchers { watcher.resume() }
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: id)?.continuation }?.resume(throwing: CancellationError())
        }
    }

    /// Returns when at least so many tasks sleep.
    package func sleepers(_ count: Int) async { await wait(for: .count(count)) }

    /// Returns when a task sleeps until so long after the start.
    package func sleeper(until offset: Duration) async { await wait(for: .deadline(Instant(offset: offset))) }

    /// Returns when a task sleeps until a time before so long after the start, with that time.
    package func sleeper(before offset: Duration) async -> Duration {
        while true {
            let (sleepers, count) = state.withLock { ($0.sleepers.values.map(\.until.offset), $0.started) }
            if let first = sleepers.min(), first < offset { return first }
            await wait(for: .started(count + 1))
        }
    }

    private func wait(for condition: Condition) async {
        await withCheckedContinuation { continuation in
            let watchers = state.withLock { state in
                state.watchers.append((condition, continuation))
                return Self.due(&state)
            }
            for watcher in watchers { watcher.resume() }
        }
    }

    /// Lets so much time pass and wakes whose time has come.
    package func advance(by duration: Duration) { advance(to: now.offset + duration) }

    /// The same until so long after the start.
    package func advance(to offset: Duration) {
        let due = state.withLock { state in
            state.now = Instant(offset: offset)
            let due = state.sleepers.filter { $0.value.until <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in due { continuation.resume() }
    }

    private static func due(_ state: inout sending State) -> [CheckedContinuation<Void, Never>] {
        let sleepers = Array(state.sleepers.values)
        var due: [CheckedContinuation<Void, Never>] = []
        let started = state.started
        state.watchers.removeAll { watcher in
            let isMet =
                switch watcher.condition {
                case .count(let count): sleepers.count >= count
                case .deadline(let instant): sleepers.contains { $0.until == instant }
                case .started(let count): started >= count
                }
            if isMet { due.append(watcher.continuation) }
            return isMet
        }
        return due
    }
}
