/// A Python program that runs inside a namespace for as long as this value lives.
package final class Script: Sendable {
    private let program: Program

    /// Starts it, and waits until it has printed its first line.
    package init(in namespace: Namespace, _ source: String, _ arguments: String...) throws {
        program = try Program(namespace.prefix + ["python3", "-c", source] + arguments, input: nil)
        try awaitLine()
    }

    /// Sends it a line, and waits for one in return.
    package func tell(_ line: String) throws {
        program.send(line)
        try awaitLine()
    }

    private func awaitLine() throws {
        guard program.readLine() != nil else {
            throw Failure(description: "the script ended early: \(program.errors)")
        }
    }
}
