public import Synchronization

/// A mutex around one value that counts its changes: a reader knows, without the lock and without a copy, that it has seen the value.
///
/// Read the revision before the value: a change between the two is then noticed the next time.
public final class Revised<State: Sendable>: Sendable {
    @usableFromInline let state: Locked<State>
    @usableFromInline let changes = Atomic<UInt64>(0)

    /// The value before its first change.
    @inlinable
    public init(_ state: State) {
        self.state = Locked(state)
    }

    /// Grows with each change, before a reader can have the new value.
    @inlinable public var revision: UInt64 { changes.load(ordering: .acquiring) }

    /// Changes the value, or may change it.
    @inlinable
    public func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try state.withLock { (state) throws(Failure) in
            defer { changes.add(1, ordering: .releasing) }
            return try body(&state)
        }
    }

    /// Reads the value.
    @inlinable
    public func read<Value: Sendable, Failure: Error>(
        _ body: (State) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try state.withLock { (state) throws(Failure) in try body(state) }
    }
}
