/// A log line from its fields: the quoting rules of logfmt and of JSON.
enum LogLine {
    static func text(_ fields: [(String, String)], as format: LogSettings.Format) -> String {
        switch format {
        case .logfmt: fields.map { "\($0)=\(logfmt($1))" }.joined(separator: " ") + "\n"
        case .json: "{" + fields.map { "\(JSONText.quoted($0)):\(JSONText.quoted($1))" }.joined(separator: ",") + "}\n"
        }
    }

    /// Bare where that is unambiguous, else quoted as in Go's logfmt.
    private static func logfmt(_ value: String) -> String {
        let needsQuotes = value.isEmpty || value.utf8.contains { $0 <= 0x20 || $0 == 0x22 || $0 == 0x3d || $0 == 0x7f }
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
            case _ where scalar.value < 0x20 || scalar.value == 0x7f:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
