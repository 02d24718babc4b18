import Locking

/// A closure whose result a task awaits.
final class AwaitedWork<Value: Sendable>: Work {
    let writes: Bool
    private let body: @Sendable (borrowing Transaction) throws -> Value
    private let continuation: CheckedContinuation<Value, any Error>
    private let value = Locked<Value?>(nil)

    init(
        writes: Bool,
        _ continuation: CheckedContinuation<Value, any Error>,
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Value
    ) {
        self.writes = writes
        self.body = body
        self.continuation = continuation
    }

    func perform(_ transaction: borrowing Transaction) throws {
        let value = try body(transaction)
        self.value.withLock { $0 = value }
    }

    func end(_ failure: (any Error)?) {
        if let failure { return continuation.resume(throwing: failure) }
        // Ends without a failure only after `perform`.
        if let value = value.withLock({ $0 }) { continuation.resume(returning: value) }
    }
}
