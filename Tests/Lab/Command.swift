package import Foundation

/// A program that did not end well.
package struct CommandFailure: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}

/// Runs a program to its end and returns what it printed; one that is missing or fails throws.
package func run(_ arguments: [String], input: String = "") throws -> Data {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    let output = Pipe()
    let errors = Pipe()
    let source = Pipe()
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = source
    try process.run()
    try source.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try source.fileHandleForWriting.close()
    let printed = try output.fileHandleForReading.readToEnd() ?? Data()
    let complaint = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
        let text = String(decoding: complaint, as: UTF8.self)
        throw CommandFailure(description: "\(arguments.joined(separator: " ")): \(text)")
    }
    return printed
}
