/// A task that is cancelled when its owner lets go of it.
struct OwnedTask: ~Copyable {
    private let task: Task<Void, Never>

    init(_ operation: @escaping @Sendable () async -> Void) { task = Task { await operation() } }

    deinit { task.cancel() }

    /// Cancels it and waits for its end.
    consuming func end() async {
        task.cancel()
        await task.value
    }
}
