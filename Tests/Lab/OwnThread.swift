import Coordination
import Posix

/// Runs what blocks on a thread of its own.
///
/// On the pool, which has a thread for each processor, what it waits for might wait for it.
package func onOwnThread<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
    let outcome = Locked<Swift.Result<Result, any Error>?>(nil)
    try await LoopThread.run(name: "lab") { _ in
        let result = Swift.Result { try body() }
        outcome.withLock { $0 = result }
    }
    guard let result = outcome.withLock({ $0 }) else { throw Failure(description: "no result") }
    return try result.get()
}
