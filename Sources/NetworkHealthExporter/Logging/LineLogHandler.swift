import FoundationEssentials
import Glibc
import Logging

/// Writes one line an event to stderr, as logfmt or JSON, with the keys `time level source msg` first.
struct LineLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level
    private static let time = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    private let format: LogSettings.Format
    private let write: @Sendable (String) -> Void

    init(_ settings: LogSettings, write: @escaping @Sendable (String) -> Void = Self.writeToStandardError) {
        logLevel = settings.level
        format = settings.format
        self.write = write
    }

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let extra = metadata.merging(event.metadata ?? [:]) { _, newer in newer }
        let fields =
            [
                ("time", Self.time.format(.now)),
                ("level", event.level == .warning ? "warn" : event.level.rawValue),
                ("source", event.source),
                ("msg", event.message.description),
            ] + extra.sorted { $0.key < $1.key }.map { ($0.key, $0.value.description) }
        write(LogLine.text(fields, as: format))
    }

    /// One call to write(2), so that lines of several threads do not mix.
    @Sendable private static func writeToStandardError(_ line: String) {
        var line = line
        line.withUTF8 { bytes in _ = Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
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
