import ArgumentParser
import HTTPTransfer

/// `report`: what the history of a running exporter shows of a month, to be read, printed or sent.
struct PrintReport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract:
            "Print a report of a month, or of another period, by the running exporter: uptime, outages, speeds and latency.",
        discussion:
            "Without a period: the last 30 days. Exit status: 0 printed, 3 the exporter does not answer, 64 usage."
    )

    @Option(help: ArgumentHelp("A month, in the exporter's time zone, such as 2026-10.", valueName: "month"))
    var month: String?

    @Option(
        help: ArgumentHelp(
            "The begin: a time such as 2026-10-01T00:00:00Z, or back from now, such as 30d.",
            valueName: "time"
        )
    )
    var since: String?

    @Option(help: ArgumentHelp("The end, likewise. (default: now)", valueName: "time"))
    var until: String?

    @Option(help: ArgumentHelp("html, text, json or csv.", valueName: "format"))
    var format = "text"

    @OptionGroup var client: ClientOptions

    func run() async throws {
        let exporter = try usage { try ExporterClient(client, .everything) }
        let values = [("month", month), ("since", since), ("until", until), ("format", format)]
        let query = values.compactMap { name, value in value.map { "\(name)=\($0.queryEscaped)" } }
        let path = "\(ReportPart.path)?\(query.joined(separator: "&"))"
        // Of a year it takes seconds on a small machine.
        let answer = try await exporter.answer(.get, path, timeout: .seconds(60))
        switch answer.status {
        case 200: try StandardOutput.write(raw: Self.visible(String(decoding: answer.body, as: UTF8.self)))
        case 400: throw ValidationError(answer.errorText)
        default:
            StandardError.write("\(exporter.base): \(answer.errorText)\n")
            throw ExitCode(3)
        }
    }

    /// With nothing in it that a terminal acts on, and with the line ends of CSV, CR LF.
    private static func visible(_ text: String) -> String {
        text.split(separator: "\r\n" as Character, omittingEmptySubsequences: false)
            .map { JSONText.visible(String($0)) }.joined(separator: "\r\n")
    }
}
