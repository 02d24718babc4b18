import Locking

/// Hands each delivery to every reader.
///
/// Unlike `Broadcast` it drops nothing and repeats nothing: a reader gets every delivery from its begin on.
final class Deliveries: Sendable {
    private struct State {
        var readers: [UInt64: AsyncStream<Delivery>.Continuation] = [:]
        var nextReader: UInt64 = 0
    }

    private let state = Locked(State())

    func send(_ delivery: Delivery) {
        let readers = state.withLock { Array($0.readers.values) }
        for reader in readers { reader.yield(delivery) }
    }

    func finish() {
        let readers = state.withLock { state in
            defer { state.readers = [:] }
            return Array(state.readers.values)
        }
        for reader in readers { reader.finish() }
    }

    func values() -> AsyncStream<Delivery> {
        let (stream, continuation) = AsyncStream<Delivery>.makeStream()
        let reader = state.withLock { state in
            defer { state.nextReader += 1 }
            state.readers[state.nextReader] = continuation
            return state.nextReader
        }
        continuation.onTermination = { [state] _ in
            state.withLock { _ = $0.readers.removeValue(forKey: reader) }
        }
        return stream
    }
}
