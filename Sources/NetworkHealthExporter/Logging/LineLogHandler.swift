import FoundationEssentials
import Logging

/// Writes one line an event, as logfmt or JSON, with the keys `time level source msg` first.
struct LineLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level
    private static let time = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    private let format: LogSettings.Format
    private let output: LogOutput

    init(_ settings: LogSettings, output: LogOutput = .standardError) {
        logLevel = settings.level
        format = settings.format
        self.output = output
    }

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let extra = metadata.merging(event.metadata ?? [:]) { _, newer in newer }
        output.write(text(event.level, event.source, event.message.description, extra)) { missing in
            text(
                .warning,
                event.source,
                "Lines of the log were left out: the reader did not keep up",
                ["lines": "\(missing)"]
            )
        }
    }

    private func text(
        _ level: Logger.Level,
        _ source: String,
        _ message: String,
        _ extra: Logger.Metadata
    ) -> String {
        let fields =
            [
                ("time", Self.time.format(.now)),
                ("level", level == .warning ? "warn" : level.rawValue),
                ("source", source),
                ("msg", message),
            ] + extra.sorted { $0.key < $1.key }.map { ($0.key, $0.value.description) }
        return LogLine.text(fields, as: format)
    }
}

/// A log line from its fields, with the quoting rules of logfmt and of JSON.
enum LogLine {
    static func text(_ fields: [(String, String)], as format: LogSettings.Format) -> String {
        switch format {
        case .logfmt: fields.map { "\($0)=\(logfmt($1))" }.joined(separator: " ") + "\n"
        case .json: "{" + fields.map { "\(JSONText.quoted($0)):\(JSONText.quoted($1))" }.joined(separator: ",") + "}\n"
        }
    }

    /// Bare where that is unambiguous, else quoted as in Go's logfmt.
    private static func logfmt(_ value: String) -> String {
        let needsQuotes =
            value.isEmpty
            || value.unicodeScalars.contains { scalar in
                scalar.value <= 0x20 || scalar == "\"" || scalar == "=" || JSONText.isControl(scalar)
            }
        return needsQuotes ? JSONText.quoted(value) : value
    }
}
