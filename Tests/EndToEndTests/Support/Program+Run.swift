import Lab

extension Program {
    /// Waits for its end; its exit status, or minus the signal that ended it.
    func status(within limit: Duration = .seconds(20)) async throws -> Int32 {
        try await poll("the end of \(command.joined(separator: " "))", within: limit) { ended }
    }
}

extension String {
    /// The lines that are complete: the last one of a program that runs may have no end yet.
    var wholeLines: [Substring] { Array(split(separator: "\n", omittingEmptySubsequences: false).dropLast()) }
}

/// Runs a program to its end.
func run(
    _ command: [String],
    environment: [String: String] = [:],
    input: String = "",
    within limit: Duration = .seconds(20)
) async throws -> Outcome {
    let program = try Program(command, environment: environment, input: input)
    let status = try await program.status(within: limit)
    return Outcome(status: status, output: program.output, errors: program.errors)
}

/// Runs a program that must succeed, and returns its output.
@discardableResult
func output(of command: [String], input: String = "", within limit: Duration = .seconds(20)) async throws -> String {
    let outcome = try await run(command, input: input, within: limit)
    guard outcome.status == 0 else {
        throw Failure(description: "\(command.joined(separator: " ")): status \(outcome.status): \(outcome.errors)")
    }
    return outcome.output
}
