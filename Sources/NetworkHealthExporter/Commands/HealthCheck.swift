import ArgumentParser
import HTTPTransfer
import NetworkHealth

/// `healthcheck`: queries a running exporter, for a container's HEALTHCHECK in an image without a shell.
struct HealthCheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "healthcheck",
        abstract: "Query the running exporter: exit status 0 if it serves, or if a requirement is satisfied."
    )

    @OptionGroup var client: ClientOptions

    @Option(
        help: "A requirement such as online; without it, only whether the exporter serves is checked.",
        completion: .list(Requirement.builtIn.map(\.name))
    )
    var requirement: String?

    func run() async throws {
        let exporter = try usage { try ExporterClient(client, .health) }
        if let requirement, !requirement.utf8.allSatisfy(\.isWordByte) {
            let expected = "a name of letters, digits and _"
            throw ValidationError("\(UsageError("--requirement", expected: expected, found: requirement))")
        }
        let path = requirement.map { "/health?requirement=\($0)" } ?? "/-/healthy"
        do {
            let answer = try await exporter.get(path, timeout: .seconds(3))
            // The exit status gives the answer, too.
            try? StandardOutput.write(answer.text)
            guard answer.status == 200 else { throw ExitCode(1) }
        } catch let error as ExporterClient.Failure {
            try? StandardOutput.write("\(error)\n")
            throw ExitCode(1)
        }
    }
}
