import Lab

/// Another program that knows SQLite.
enum Python {
    /// Runs a program to its end.
    static func run(_ source: String, _ arguments: String...) async throws {
        try await onThread { _ = try Lab.run(["python3", "-c", source] + arguments) }
    }
}
