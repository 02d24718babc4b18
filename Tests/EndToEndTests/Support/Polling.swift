import Foundation

/// Asks again and again until there is an answer: the way in which these tests wait.
@discardableResult
func poll<Answer>(
    _ what: String,
    within limit: Duration = .seconds(20),
    _ probe: () async throws -> Answer?
) async throws -> Answer {
    let deadline = ContinuousClock.now + limit
    while true {
        if let answer = try await probe() { return answer }
        guard ContinuousClock.now < deadline else { throw TimedOut(description: "waited \(limit) for \(what)") }
        try await Task.sleep(for: .milliseconds(20))
    }
}

/// What was waited for did not happen.
struct TimedOut: Error, CustomStringConvertible {
    let description: String
}

/// Runs what blocks on a thread of its own, away from the pool that tasks need.
func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}
