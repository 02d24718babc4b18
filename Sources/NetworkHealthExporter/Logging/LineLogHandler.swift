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

/// A string as JSON has it (RFC 8259): for the few lines that are written without an encoder.
enum JSONText {
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where isControl(scalar): result += escape(scalar)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// Lines of text for a terminal, with `\u001b` in place of what it acts on; JSON keeps its meaning.
    static func visible(_ text: String) -> String {
        func isShown(_ scalar: Unicode.Scalar) -> Bool { scalar == "\n" || scalar == "\t" || !isControl(scalar) }
        guard !text.unicodeScalars.allSatisfy(isShown) else { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            if isShown(scalar) { result.unicodeScalars.append(scalar) } else { result += escape(scalar) }
        }
    }

    /// Of one that `isControl`.
    private static func escape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// C0, DEL and C1, on which terminals act, and those that change the direction of text (Bidi_Control of Unicode), so that
    /// a line does not look like another one.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7f...0x9f, 0x061c, 0x200e...0x200f, 0x202a...0x202e, 0x2066...0x2069: true
        default: false
        }
    }
}
