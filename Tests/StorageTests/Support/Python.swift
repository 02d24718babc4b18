import Lab

/// Another program that knows SQLite.
enum Python {
    /// Runs a program to its end.
    static func run(_ source: String, _ arguments: String...) async throws {
        _ = try await output(source, arguments)
    }

    /// The same, with what it prints.
    static func output(_ source: String, _ arguments: String...) async throws -> String {
        try await output(source, arguments)
    }

    private static func output(_ source: String, _ arguments: [String]) async throws -> String {
        try await onThread { try Lab.run(["python3", "-c", source] + arguments) }
    }
}
