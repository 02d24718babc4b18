import Foundation

/// The programs from PyPI that `scripts/peers` installs.
enum Peer {
    /// The path of one of their programs.
    static func program(_ name: String) throws -> String {
        let path = "\(Repository.root)/.build/peers/bin/\(name)"
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Failure(description: "\(path) is not there: run scripts/peers")
        }
        return path
    }

    /// The JSON object that a program prints.
    static func object(
        of command: [String],
        environment: [String: String] = [:],
        within limit: Duration = .seconds(90)
    ) async throws -> [String: Any] {
        let outcome = try await run(command, environment: environment, within: limit)
        guard outcome.status == 0 else {
            throw Failure(description: "\(command): status \(outcome.status): \(outcome.output)\(outcome.errors)")
        }
        let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
        guard let object = object as? [String: Any] else { throw Failure(description: outcome.output) }
        return object
    }
}
