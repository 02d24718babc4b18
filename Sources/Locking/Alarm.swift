/// A sleep that others can cut short.
///
/// One task sleeps; any may wake it. A wake while no task sleeps ends the next sleep at once, so that none is missed.
package final class Alarm: Sendable {
    private struct State {
        var sleeper: Task<Void, Never>?
        var isWoken = false
    }

    private let state = Locked(State())
    private let stopwatch: Stopwatch

    /// - Parameter stopwatch: its clock is that of the sleep.
    package init(_ stopwatch: Stopwatch) {
        self.stopwatch = stopwatch
    }

    /// Returns at that time, when it is woken, or when the task is cancelled.
    package func sleep(until time: Duration) async {
        let sleeper: Task<Void, Never> = Task { [stopwatch] in
            // Cancelled: it was woken.
            try? await stopwatch.sleep(until: time)
        }
        let isWoken = state.withLock { state in
            defer { (state.sleeper, state.isWoken) = (sleeper, false) }
            return state.isWoken
        }
        if isWoken { sleeper.cancel() }
        await withTaskCancellationHandler {
            await sleeper.value
        } onCancel: {
            sleeper.cancel()
        }
        state.withLock { $0.sleeper = nil }
    }

    /// Ends the sleep, or the next one.
    package func wake() {
        let sleeper = state.withLock { state in
            state.isWoken = state.sleeper == nil
            return state.sleeper
        }
        sleeper?.cancel()
    }
}
