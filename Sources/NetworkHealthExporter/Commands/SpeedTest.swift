import ArgumentParser
import Glibc
import HTTPTransfer
import SpeedTestCore

/// `speedtest`: runs one test now.
struct SpeedTest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "speedtest",
        abstract: "Run one speed test now and print the result.",
        discussion: """
            Without --server, that of \(FlagName.speedTestServer.variable), else the servers of the configuration file are \
            tried in their order.
            """
    )

    @Option(
        help: ArgumentHelp(
            "As \(FlagName.speedTestServer), or the server's URL beside --protocol.",
            valueName: "server"
        ),
        completion: .list(SpeedTestServer.presetNames)
    )
    var server: String?

    @Option(
        name: .customLong("protocol"),
        help: ArgumentHelp("\(Self.dialects). (default: speedlab)", valueName: "protocol"),
        completion: .list(SpeedTestProtocol.allCases.map(\.rawValue)),
        transform: { text in
            guard let dialect = SpeedTestProtocol(rawValue: text) else {
                throw ValidationError("expected one of \(Self.dialects), found \(JSONText.quoted(text))")
            }
            return dialect
        }
    )
    var dialect: SpeedTestProtocol?

    @Flag(help: "Measure the download only.")
    var downloadOnly = false

    @Flag(help: "Measure the upload only.")
    var uploadOnly = false

    @Flag(help: "Print one JSON object.")
    var json = false

    @Flag(help: "Agree that M-Lab publishes the result with this host's address (ndt7).")
    var acceptDataPolicy = false

    @Option(
        name: FlagName.configFile.long,
        help: ArgumentHelp("The YAML configuration file, for its speedtest section.", valueName: "file"),
        completion: .file()
    )
    var configFile: String?

    func validate() throws {
        guard !(downloadOnly && uploadOnly) else {
            throw ValidationError("expected at most one of --download-only and --upload-only")
        }
        guard server != nil || dialect == nil else { throw ValidationError("expected --server beside --protocol") }
        if let server, named(server) == nil {
            let expected = dialect == nil ? "\(SpeedTestServer.flagExpectation), or an http or https URL" : "a URL"
            throw ValidationError("\(UsageError("--server", expected: expected, found: server))")
        }
    }

    func run() async throws {
        let section = try LocalEvaluation.configuration(configFile).speedTest
        let servers = server.map { [named($0)].compactMap(\.self) } ?? section.servers
        guard !servers.isEmpty else {
            throw ValidationError(
                """
                expected --server, \(FlagName.speedTestServer.variable), or a configuration file with speedtest.servers. \
                --server is \(SpeedTestServer.presetNames.joined(separator: " or ")), or your own server
                """
            )
        }
        let display = ProgressDisplay(isShown: !json && isatty(STDERR_FILENO) == 1)
        let test = CommandSpeedTest(section: section, directions: directions ?? section.directions, display: display)
        let report = await test.run(servers)
        guard let report else { throw ExitCode(1) }
        try StandardOutput.write(
            json ? String(decoding: report.json, as: UTF8.self) + "\n" : SpeedTestText.text(report)
        )
        if report.failure != nil { throw ExitCode(1) }
    }

    private static let dialects = SpeedTestProtocol.allCases.map(\.rawValue).joined(separator: ", ")

    /// The server of `--server`; nil for a text that names none.
    func named(_ text: String) -> SpeedTestServer? {
        let url = WebURL(text, schemes: WebURL.webSchemes)
        let plain = url.map { SpeedTestServer(name: $0.host, dialect: dialect ?? .speedlab, url: text) }
        guard var server = plain ?? (dialect == nil ? SpeedTestServer(flag: text) : nil) else { return nil }
        server.acceptsDataPolicy = acceptDataPolicy
        return server
    }

    private var directions: [Direction]? {
        downloadOnly ? [.download] : uploadOnly ? [.upload] : nil
    }
}
