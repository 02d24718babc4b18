/// A sleep that others can cut short.
///
/// One task sleeps; any may wake it. A wake while no task sleeps ends the next sleep at once, so that none is missed.
package final class Alarm: Sendable {
    private struct Sleeper: Sendable {
        var end: Duration
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct State: Sendable {
        var sleeper: Sleeper?
        var isWoken = false

        mutating func takeSleeper() -> Sleeper? {
            defer { sleeper = nil }
            return sleeper
        }
    }

    private let state = Locked(State())
    private let stopwatch: Stopwatch
    private let wakeUps: WakeUps

    /// - Parameter stopwatch: its clock is that of the sleep.
    package init(_ stopwatch: Stopwatch) { (self.stopwatch, wakeUps) = (stopwatch, WakeUps(stopwatch)) }

    /// Whether a task sleeps.
    package var isSleeping: Bool { state.withLock { $0.sleeper != nil } }

    /// Returns at that time, when it is woken, or when the task is cancelled.
    package func sleep(until time: Duration) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    // Read under the lock: a later cancellation finds the sleeper, an earlier one is seen here.
                    let isOver = state.isWoken || Task.isCancelled
                    state.isWoken = false
                    if !isOver { state.sleeper = Sleeper(end: time, continuation: continuation) }
                    return isOver
                }
                if isOver { return continuation.resume() }
                wakeUps.request(at: time) { [weak self] in self?.endSleep() }
            }
        } onCancel: {
            state.withLock { $0.takeSleeper() }?.continuation.resume()
        }
    }

    /// Ends the sleep, or the next one.
    package func wake() {
        let sleeper = state.withLock { state in
            state.isWoken = state.sleeper == nil
            return state.takeSleeper()
        }
        sleeper?.continuation.resume()
    }

    /// Ends the sleep if it is over; returns its end otherwise.
    private func endSleep() -> Duration? {
        let (due, end) = state.withLock { state -> (Sleeper?, Duration?) in
            guard let end = state.sleeper?.end, stopwatch.elapsed < end else { return (state.takeSleeper(), nil) }
            return (nil, end)
        }
        due?.continuation.resume()
        return end
    }
}
