/// Calls to make in the order in which they were added, one at a time, under no lock.
///
/// The lock around it decides the order. A thread that adds a call while another one delivers leaves it to that one.
package struct Outbox: Sendable {
    private var calls: [@Sendable () -> Void] = []
    private var isBusy = false

    package init() {}

    package mutating func append(_ call: @escaping @Sendable () -> Void) { calls.append(call) }

    /// Whether the calling thread is to deliver: it takes calls with `next()` until there are none.
    package mutating func begin() -> Bool {
        guard !isBusy else { return false }
        isBusy = true
        return true
    }

    /// The next call; nil ends the delivery.
    package mutating func next() -> (@Sendable () -> Void)? {
        guard !calls.isEmpty else {
            isBusy = false
            return nil
        }
        return calls.removeFirst()
    }
}

extension Locked {
    /// Makes the calls of an outbox of the state, until there are none; leaves them to the thread that is making them.
    package func deliver(_ outbox: any WritableKeyPath<State, Outbox> & Sendable) {
        guard withLock({ $0[keyPath: outbox].begin() }) else { return }
        while let call = withLock({ $0[keyPath: outbox].next() }) { call() }
    }
}
