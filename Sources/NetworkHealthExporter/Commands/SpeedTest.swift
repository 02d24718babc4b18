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

    @Option(help: ArgumentHelp("The server's URL, such as http://192.0.2.1:10319/speedtest.", valueName: "url"))
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
        if let server, WebURL(server, schemes: WebURL.webSchemes) == nil {
            throw ValidationError("\(UsageError("--server", expected: "an http or https URL", found: server))")
        }
    }

    func run() async throws {
        let section = try LocalEvaluation.configuration(configFile).speedTest
        let servers = server.map { [named($0)] } ?? section.servers
        guard !servers.isEmpty else {
            throw ValidationError(
                "expected --server, \(FlagName.speedTestServer.variable), or a configuration file with speedtest.servers"
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

    private func named(_ url: String) -> SpeedTestServer {
        let name = WebURL(url, schemes: WebURL.webSchemes)?.host ?? url
        var server = SpeedTestServer(name: name, dialect: dialect ?? .speedlab, url: url)
        server.acceptsDataPolicy = acceptDataPolicy
        return server
    }

    private var directions: [Direction]? {
        downloadOnly ? [.download] : uploadOnly ? [.upload] : nil
    }
}
