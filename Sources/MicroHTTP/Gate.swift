import Locking

/// A result that one side gives and the other awaits, once each.
final class Gate<Value: Sendable>: Sendable {
    private enum State {
        case pending
        case awaited(CheckedContinuation<Value, Never>)
        case given(Value)
    }

    private let state = Locked(State.pending)

    func open(with value: Value) {
        let waiter: CheckedContinuation<Value, Never>? = state.withLock { state in
            defer { state = .given(value) }
            return if case .awaited(let waiter) = state { waiter } else { nil }
        }
        waiter?.resume(returning: value)
    }

    func wait() async -> Value {
        await withCheckedContinuation { continuation in
            let value: Value? = state.withLock { state in
                if case .given(let value) = state { return value }
                state = .awaited(continuation)
                return nil
            }
            if let value { continuation.resume(returning: value) }
        }
    }
}
