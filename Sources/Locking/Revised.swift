package import Synchronization

/// A mutex around one value that counts its changes: a reader knows, without the lock and without a copy, that it has seen the value.
///
/// Read the revision before the value: a change between the two is then noticed the next time.
package final class Revised<State: Sendable>: Sendable {
    @usableFromInline let state: Locked<State>
    @usableFromInline let changes = Atomic<UInt64>(0)

    @inlinable
    package init(_ state: State) {
        self.state = Locked(state)
    }

    /// Grows with each change, before a reader can have the new value.
    @inlinable package var revision: UInt64 { changes.load(ordering: .acquiring) }

    /// Changes the value, or may change it.
    @inlinable
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try state.withLock { (state) throws(Failure) in
            defer { changes.add(1, ordering: .releasing) }
            return try body(&state)
        }
    }

    /// Reads the value.
    @inlinable
    package func read<Value: Sendable, Failure: Error>(
        _ body: (State) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try state.withLock { (state) throws(Failure) in try body(state) }
    }
}
