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

/// Waits until something holds, and returns how long after `start` the last question began that found otherwise.
///
/// What is asked was at least as late. What holds up the test, or the program that asks for it, is not in this time.
func lateness(
    of what: String,
    since start: ContinuousClock.Instant,
    within limit: Duration = .seconds(20),
    _ holds: () async throws -> Bool
) async throws -> Duration {
    var last = Duration.zero
    try await poll(what, within: limit) { () async throws -> Bool? in
        let asked = ContinuousClock.now
        if try await holds() { return true }
        last = start.duration(to: asked)
        return nil
    }
    return last
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
