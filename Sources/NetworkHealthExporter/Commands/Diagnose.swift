import ArgumentParser
import HTTPTransfer
import StrictYAML

/// `diagnose`: what is wrong with the network, where, and how that is known, by a running exporter.
struct Diagnose: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print where the network is broken, by the running exporter, with the evidence.",
        discussion: "Exit status: 0 no fault is known, 1 there is a fault, 3 the exporter does not answer."
    )

    /// Between two questions with --for.
    private static let pace = Duration.seconds(2)

    @Flag(name: .customLong("json"), help: "Print one JSON object.")
    var json = false

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("Watch for so long, and print what is known then, such as 60s.", valueName: "duration")
    )
    var span: String?

    @OptionGroup var client: ClientOptions

    func run() async throws {
        let limit = try span.map(Self.duration) ?? .zero
        let exporter = try usage { try ExporterClient(client, .everything) }
        let end = ContinuousClock.now + limit
        var answer = try await ask(exporter)
        while ContinuousClock.now < end {
            // The pace of a watch, which has no event.
            try await Task.sleep(for: min(Self.pace, ContinuousClock.now.duration(to: end)))
            answer = try await ask(exporter)
        }
        guard let document = JSONDocument.decode(DiagnosisDocument.self, from: answer.text) else {
            StandardError.write("\(exporter.base): the answer is not that of an exporter\n")
            throw ExitCode(3)
        }
        // The exit status gives the answer, too.
        try? StandardOutput.write(json ? answer.text : document.text)
        if !document.faults.isEmpty { throw ExitCode(1) }
    }

    private func ask(_ exporter: ExporterClient) async throws -> TransferResponse {
        let answer = try await exporter.answer(.get, DiagnosisDocument.path, timeout: .seconds(10))
        guard answer.status == 200 else {
            StandardError.write("\(exporter.base): \(answer.errorText)\n")
            throw ExitCode(3)
        }
        return answer
    }

    private static func duration(_ text: String) throws -> Duration {
        guard let duration = DurationText.parse(text), (.zero ... .seconds(86_400)).contains(duration) else {
            throw ValidationError("--for: expected a duration up to 24h such as 60s, found \(JSONText.quoted(text))")
        }
        return duration
    }
}

extension DiagnosisDocument {
    /// The sentence, the evidence, and a line for each point on the way.
    var text: String {
        var lines = [sentence]
        lines += evidence.map { "  \($0.says)" }
        if !points.isEmpty { lines.append("On the way:") }
        lines += points.map { point in
            let latency = point.rttSeconds.map { "\(($0 * 10_000).rounded() / 10) ms" } ?? "no answer"
            let loss = point.lossRatio.map { ", \(($0 * 1000).rounded() / 10) % of \(point.samples) lost" } ?? ""
            return "  \(point.name)\(point.address.map { " (\($0))" } ?? "") over \(point.family): \(latency)\(loss)"
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
