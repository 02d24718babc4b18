/// The functions that are called for each change, in the order in which they were added.
package final class Observers<Value>: Sendable {
    /// A lock around the function itself would wrap it once more at each call (``Locked``).
    private struct Observer {
        var call: @Sendable (Value) -> Void
    }

    private let observers = Locked<[Observer]>([])

    package init() {}

    package func add(_ call: @escaping @Sendable (Value) -> Void) {
        observers.withLock { $0.append(Observer(call: call)) }
    }

    /// Calls the functions, under no lock.
    package func callAsFunction(_ value: Value) { for observer in observers.withLock({ $0 }) { observer.call(value) } }
}
