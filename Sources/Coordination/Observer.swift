/// A function that is called for each change, set once its owner is complete.
package final class Observer<Value>: Sendable {
    /// A lock around the function itself would wrap it once more at each call (``Locked``).
    private struct State {
        var call: (@Sendable (Value) -> Void)?
    }

    private let state = Locked(State())

    package init() {}

    /// Replaces the function.
    package func set(_ call: @escaping @Sendable (Value) -> Void) { state.withLock { $0.call = call } }

    /// Calls the function, under no lock.
    package func callAsFunction(_ value: Value) { state.withLock { $0.call }?(value) }
}
