import Coordination

/// The tasks of waiting handlers and streams, started by the event thread and awaited by `Server.run`.
final class RequestTasks: Sendable {
    private struct State {
        var count = 0
        /// `join`, once nothing is started any more.
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())

    /// Runs `body` in a task of its own.
    func start(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        state.withLock { $0.count += 1 }
        return Task {
            await body()
            end()
        }
    }

    /// Waits for the end of every task; called once, when the daemon has been stopped, which has cancelled them.
    func join() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.count > 0 { state.waiter = continuation }
                return state.count == 0
            }
            if isOver { continuation.resume() }
        }
    }

    private func end() {
        let waiter = state.withLock { state in
            state.count -= 1
            return state.count == 0 ? state.waiter.take() : nil
        }
        waiter?.resume()
    }
}
