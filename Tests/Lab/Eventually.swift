import Glibc

// How tests wait for what brings no event: they look again every few milliseconds.

/// Returns once the condition holds.
package func eventually(
    _ what: String,
    within limit: Duration = .seconds(30),
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < deadline else { throw Failure(description: "\(what): not within \(limit)") }
        try await Task.sleep(for: .milliseconds(5))
    }
}

/// The same for a thread that may block.
package func block(
    until what: String,
    within limit: Duration = .seconds(30),
    _ condition: () throws -> Bool
) throws {
    let deadline = ContinuousClock.now + limit
    while try !condition() {
        guard ContinuousClock.now < deadline else { throw Failure(description: "\(what): not within \(limit)") }
        usleep(1000)
    }
}
