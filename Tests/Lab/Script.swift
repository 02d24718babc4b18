/// A Python program that runs inside a namespace for as long as this value lives.
package final class Script: Sendable {
    private let process: ChildProcess

    /// Starts it, and waits until it has printed its first line.
    package init(in namespace: Namespace, _ source: String, _ arguments: String...) throws {
        process = try ChildProcess(["ip", "netns", "exec", namespace.name, "python3", "-c", source] + arguments)
        try awaitLine()
    }

    /// Sends it a line, and waits for one in return.
    package func tell(_ line: String) throws {
        process.send(line)
        try awaitLine()
    }

    private func awaitLine() throws {
        guard process.readLine() != nil else { throw CommandFailure(description: "the script ended early") }
    }
}
