import ArgumentParser
import FoundationEssentials
import NetworkHealth
import NetworkPath
import StrictYAML

/// `check`: whether a requirement holds, for scripts, cron and systemd.
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask whether the network is good enough for something.",
        discussion: """
            Exit status: 0 it is, 1 it is not, 2 nobody knows that requirement, 3 the exporter is not reachable, 64 a wrong \
            usage. With --systemd-condition 2, 3 and 64 become 255: ExecCondition= skips a unit silently on 1 to 254.
            """
    )

    @Argument(
        help:
            "online, unmetered, basicBrowsing, imageLoading, videoStreaming, largeDownload, largeUpload, or one of the configuration file's."
    )
    var requirement: String

    @Flag(name: .customLong("json"), help: "Print the whole answer as JSON.")
    var json = false

    @Option(help: ArgumentHelp("Wait until it holds, at most so long.", valueName: "duration"))
    var wait: String?

    @Flag(help: "Evaluate the network here, without a running exporter.")
    var local = false

    @Option(help: "The exporter's address. (default: the local one, at the port of NHE_WEB_LISTEN_ADDRESS or 10319)")
    var url: String?

    @Flag(help: "For ExecCondition= of a systemd unit: a mistake fails the unit instead of skipping it.")
    var systemdCondition = false

    @OptionGroup var evaluation: Evaluation
    @OptionGroup var storage: StorageOptions

    /// What `check` says by its exit status.
    enum Outcome: Int32, Equatable {
        case passed = 0
        case failed = 1
        case unknown = 2
        case unreachable = 3
        case usage = 64

        /// systemd takes 1 to 254 for "not now", and skips the unit without a word.
        func status(forSystemd: Bool) -> Int32 {
            forSystemd && self != .passed && self != .failed ? 255 : rawValue
        }
    }

    func run() async throws {
        let wait: Duration = try usage { try Self.duration(self.wait) }
        let outcome = local ? try await LocalCheck(self, wait: wait).run() : try RemoteCheck(self, wait: wait).run()
        let status = outcome.status(forSystemd: systemdCondition)
        if status != 0 { throw ExitCode(status) }
    }

    private static func duration(_ text: String?) throws(UsageError) -> Duration {
        guard let text else { return .zero }
        guard let duration = DurationText.parse(text), (.zero ... .seconds(7 * 86_400)).contains(duration) else {
            throw UsageError("--wait: expected \(DurationText.expectation), up to 7d, found \"\(text)\"")
        }
        return duration
    }
}
