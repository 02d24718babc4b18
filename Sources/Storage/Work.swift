import Coordination

/// A closure that a task has the database's thread run, and whose result it awaits.
struct Work: Sendable {
    /// Only wakes the thread.
    static let nothing = Work()

    /// Whether it changes anything.
    let writes: Bool
    /// Runs the closure, and keeps its result.
    let perform: @Sendable (borrowing Transaction) throws -> Void
    /// Resumes the task with the result or with a failure; called once, and without a failure only after `perform`.
    let end: @Sendable ((any Error)?) -> Void

    private init() { (writes, perform, end) = (false, { _ in }, { _ in }) }

    init<Value: Sendable>(
        writes: Bool,
        _ continuation: CheckedContinuation<Value, any Error>,
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Value
    ) {
        self.writes = writes
        let result = Locked<Value?>(nil)
        perform = { transaction in
            let value = try body(transaction)
            result.withLock { $0 = value }
        }
        end = { failure in
            if let failure {
                continuation.resume(throwing: failure)
            } else if let value = result.withLock({ $0 }) {
                continuation.resume(returning: value)
            }
        }
    }
}

/// What became of a piece of work; the task that waits for it is resumed by `end`.
struct Outcome {
    let work: Work
    let failure: (any Error)?

    /// Hands it to the task.
    func end() { work.end(failure) }
}
