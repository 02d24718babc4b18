/// A value that is given once, and that any number of tasks wait for.
package final class Gate<Value: Sendable>: Sendable {
    private enum State {
        case closed(waiters: [CheckedContinuation<Value, Never>])
        case open(Value)
    }

    private let state = Locked(State.closed(waiters: []))

    package init() {}

    /// Gives the value; only the first call counts.
    package func open(with value: Value) {
        let waiters: [CheckedContinuation<Value, Never>] = state.withLock { state in
            guard case .closed(let waiters) = state else { return [] }
            state = .open(value)
            return waiters
        }
        for waiter in waiters { waiter.resume(returning: value) }
    }

    /// Suspends until the value is there, also in a cancelled task.
    package func wait() async -> Value {
        await withCheckedContinuation { continuation in
            let value: Value? = state.withLock { state in
                switch state {
                case .open(let value): return value
                case .closed(let waiters):
                    state = .closed(waiters: waiters + [continuation])
                    return nil
                }
            }
            if let value { continuation.resume(returning: value) }
        }
    }
}

extension Gate where Value == Void {
    package func open() { open(with: ()) }
}
