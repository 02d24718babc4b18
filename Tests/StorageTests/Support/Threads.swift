import Coordination
import Dispatch
import Posix
import Storage

/// Runs what blocks on a thread of its own, so that the pool's two go on.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        do {
            try LoopThread(name: "test") { continuation.resume(with: Result { try body() }) }.detach()
        } catch {
            continuation.resume(throwing: error)
        }
    }
}

/// Waits for what a task does, on a thread of `onThread`.
func waiting<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    let outcome = Locked<Result<Value, any Error>?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    Task {
        do {
            let value = try await body()
            outcome.withLock { $0 = .success(value) }
        } catch {
            outcome.withLock { $0 = .failure(error) }
        }
        isDone.signal()
    }
    isDone.wait()
    guard let outcome = outcome.withLock({ $0 }) else { throw CancellationError() }
    return try outcome.get()
}

/// Keeps the database's thread busy, with work of the caller's choice, for as long as `body` runs.
@discardableResult
func holding<Value: Sendable>(
    _ database: Database,
    first work: (@Sendable (borrowing Transaction) throws -> Void)? = nil,
    _ body: () async throws -> Value
) async throws -> Value {
    let gate = DispatchSemaphore(value: 0)
    let (begun, continuation) = AsyncStream<Void>.makeStream()
    async let held: Void = database.write { transaction in
        try work?(transaction)
        continuation.finish()
        gate.wait()
    }
    for await _ in begun {}
    let outcome: Result<Value, any Error>
    do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
    gate.signal()
    try await held
    return try outcome.get()
}

/// Waits until so much waits for the database's thread.
func queued(_ count: Int, for database: Database) async {
    while database.waiting < count { await Task.yield() }
}
