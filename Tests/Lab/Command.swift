import CLab
package import Foundation
import Glibc

/// A program that did not end well.
package struct CommandFailure: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}

/// What a program that has ended left.
package struct CommandResult: Sendable {
    /// Its exit status, or minus the signal that ended it.
    package let status: Int32
    package let output: Data
    package let errors: Data
}

/// Runs a program to its end; one that is missing throws.
package func result(of arguments: [String], input: Data = Data()) throws -> CommandResult {
    // Files in memory: nothing waits for a reader.
    let files = [nhe_memory_file(), nhe_memory_file(), nhe_memory_file()]
    defer { for file in files { close(file) } }
    guard !files.contains(-1) else { throw CommandFailure(description: "memfd_create: errno \(errno)") }
    try FileHandle(fileDescriptor: files[0]).write(contentsOf: input)
    lseek(files[0], 0, SEEK_SET)
    let status = reap(try spawn(arguments, input: files[0], output: files[1], errors: files[2]))
    func text(_ file: Int32) throws -> Data {
        lseek(file, 0, SEEK_SET)
        return try FileHandle(fileDescriptor: file).readToEnd() ?? Data()
    }
    return CommandResult(status: status, output: try text(files[1]), errors: try text(files[2]))
}

/// Runs a program to its end and returns what it printed; one that is missing or fails throws.
@discardableResult
package func run(_ arguments: [String], input: String = "") throws -> Data {
    let result = try result(of: arguments, input: Data(input.utf8))
    guard result.status == 0 else {
        let text = String(decoding: result.errors, as: UTF8.self)
        throw CommandFailure(description: "\(arguments.joined(separator: " ")): status \(result.status): \(text)")
    }
    return result.output
}
