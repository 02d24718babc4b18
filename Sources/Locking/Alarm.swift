/// A sleep that others can cut short.
///
/// One task sleeps; any may ring. A ring while nobody sleeps ends the next sleep at once, so that none is missed.
package final class Alarm: Sendable {
    private struct State {
        var sleeper: Task<Void, Never>?
        var hasRung = false
    }

    private let state = Locked(State())
    private let stopwatch: Stopwatch

    /// On whose clock it sleeps.
    package init(_ stopwatch: Stopwatch) {
        self.stopwatch = stopwatch
    }

    /// Returns at that time, when it rings, or when the task is cancelled.
    package func sleep(until time: Duration) async {
        let sleeper: Task<Void, Never> = Task { [stopwatch] in
            // Cancelled: it rang.
            try? await stopwatch.sleep(until: time)
        }
        let hasRung = state.withLock { state in
            defer { (state.sleeper, state.hasRung) = (sleeper, false) }
            return state.hasRung
        }
        if hasRung { sleeper.cancel() }
        await withTaskCancellationHandler {
            await sleeper.value
        } onCancel: {
            sleeper.cancel()
        }
        state.withLock { $0.sleeper = nil }
    }

    /// Ends the sleep, or the next one.
    package func ring() {
        let sleeper = state.withLock { state in
            state.hasRung = state.sleeper == nil
            return state.sleeper
        }
        sleeper?.cancel()
    }
}
