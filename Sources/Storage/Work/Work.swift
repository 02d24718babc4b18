/// Something that a task waits for the database to do.
protocol Work: Sendable {
    /// Whether it changes anything.
    var writes: Bool { get }

    /// Does it, and keeps the result.
    func perform(_ transaction: borrowing Transaction) throws

    /// Hands the result, or the reason why there is none, to the task; called once.
    func end(_ failure: (any Error)?)
}
