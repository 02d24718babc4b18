/// What a test needs and did not get.
package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}

/// How a program ended and what it wrote.
package struct Outcome: Sendable {
    /// Its exit status, or minus the signal that ended it.
    package var status: Int32
    package var output: String
    package var errors: String

    package init(status: Int32, output: String, errors: String) {
        (self.status, self.output, self.errors) = (status, output, errors)
    }
}

/// Runs a program to its end; one that is missing throws.
package func result(of command: [String], input: String = "") throws -> Outcome {
    let program = try Program(command, input: input)
    let status = program.wait()
    return Outcome(status: status, output: program.output, errors: program.errors)
}

/// Runs a program to its end and returns what it printed; one that is missing or fails throws.
@discardableResult
package func run(_ command: [String], input: String = "") throws -> String {
    let outcome = try result(of: command, input: input)
    guard outcome.status == 0 else {
        throw Failure(description: "\(command.joined(separator: " ")): status \(outcome.status): \(outcome.errors)")
    }
    return outcome.output
}
