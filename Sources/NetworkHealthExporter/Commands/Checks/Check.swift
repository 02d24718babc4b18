import ArgumentParser
import FoundationEssentials
import NetworkHealth
import NetworkPath
import StrictYAML

/// `check`: whether a requirement is satisfied, for scripts, cron and systemd.
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check whether the network satisfies a requirement.",
        discussion: """
            Exit status: 0 satisfied, 1 not satisfied, 2 unknown requirement or uplink, 3 not evaluated (the exporter is not \
            reachable, or with --local the kernel's state cannot be read), 64 a wrong command line or configuration. With \
            --systemd-condition 2, 3 and 64 become 255: ExecCondition= skips a unit silently on 1 to 254.
            """
    )

    @Argument(
        help:
            "online, unmetered, basicBrowsing, imageLoading, videoStreaming, largeDownload, largeUpload, 'custom&quality=good', or one of the configuration file's.",
        completion: .list(Requirement.builtIn.map(\.name))
    )
    var requirement: String

    @Flag(name: .customLong("json"), help: "Print the whole answer as JSON.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print no answer: the exit status gives it. Errors are still printed.")
    var quiet = false

    @Option(help: ArgumentHelp("Wait until it is satisfied, at most so long.", valueName: "duration"))
    var wait: String?

    @Option(help: ArgumentHelp("The uplink that must satisfy it, in use or not.", valueName: "name"))
    var uplink: String?

    @Flag(help: "Evaluate the network here, without a running exporter.")
    var local = false

    @OptionGroup var client: ClientOptions

    @Flag(help: "For ExecCondition= of a systemd unit: an error fails the unit instead of skipping it.")
    var systemdCondition = false

    @OptionGroup var evaluation: LocalEvaluation
    @OptionGroup var storage: StorageOptions

    /// The exit status of `check`.
    enum Outcome: Int32, Equatable {
        case passed = 0
        case failed = 1
        case unknown = 2
        /// The exporter is not reachable, or nothing could be evaluated.
        case unreachable = 3
        /// A mistake on the command line, in the environment or in the configuration file.
        case usage = 64

        /// On 1 to 254 systemd skips the unit without a message.
        func status(forSystemd: Bool) -> Int32 {
            forSystemd && self != .passed && self != .failed ? 255 : rawValue
        }
    }

    func validate() throws {
        guard !(quiet && json) else { throw ValidationError("expected at most one of --json and --quiet") }
        let ofExporter = [
            ("--uplink", uplink), ("--url", client.url), (FlagName.tlsCAFile.description, client.caFile),
            (FlagName.httpConfigFile.description, client.httpConfigFile),
        ]
        guard local, let (flag, _) = ofExporter.first(where: { $0.1 != nil }) else { return }
        throw ValidationError("expected at most one of --local and \(flag)")
    }

    /// Prints the answer, which the exit status gives, too.
    func say(_ answer: String) {
        if !quiet { try? StandardOutput.write(answer) }
    }

    func run() async throws {
        let outcome = try await outcome()
        let status = outcome.status(forSystemd: systemdCondition)
        if status != 0 { throw ExitCode(status) }
    }

    private func outcome() async throws -> Outcome {
        let wait: Duration = try usage { try Self.duration(self.wait) }
        guard let subject else {
            StandardError.write("unknown requirement \(JSONText.quoted(requirement)): expected \(Self.expectation)\n")
            return .unknown
        }
        do {
            if local { return try await LocalCheck(self, subject, wait: wait).run() }
            return try await RemoteCheck(self, wait: wait).run()
        } catch  where !(error is ValidationError) {
            StandardError.write("Error: \(error)\n")
            return .unreachable
        }
    }

    private static let customPrefix = "\(RequirementsSection.custom)&quality="
    private static let qualities = NetworkQuality.allCases.filter { $0 != .offline }
    private static let expectation =
        "a name, or \(customPrefix) with \(qualities.map(\.rawValue).joined(separator: ", "))"

    /// The requirement as in the query of `/health`; nil for a text that is not valid there.
    private var subject: HealthQuestion.Subject? {
        if requirement.hasPrefix(Self.customPrefix) {
            let word = requirement.dropFirst(Self.customPrefix.count)
            guard let quality = Self.qualities.first(where: { $0.rawValue == word }) else { return nil }
            return .made(Requirement(name: RequirementsSection.custom, quality: quality))
        }
        let isName = RequirementsSection.isName(requirement) && requirement != RequirementsSection.custom
        return isName ? .named(requirement) : nil
    }

    private static func duration(_ text: String?) throws(UsageError) -> Duration {
        guard let text else { return .zero }
        guard let duration = DurationText.parse(text), (.zero ... .seconds(7 * 86_400)).contains(duration) else {
            throw UsageError("--wait", expected: "\(DurationText.expectation), up to 7d", found: text)
        }
        return duration
    }
}
