import FoundationEssentials
import StrictYAML

/// The environment twins of the flags; a flag takes precedence over its twin.
struct Environment: Sendable {
    let variables: [String: String]

    /// The environment of this process.
    static let process = Environment(variables: ProcessInfo.processInfo.environment)

    /// `1` sets the log level debug, and the page reports each change of the connection.
    static let debugMode = "DEBUG_MODE"

    var isDebug: Bool { variables[Self.debugMode] == "1" }

    /// The twin's text; an empty variable counts as unset, since container files often contain such.
    func text(_ flag: FlagName) -> String? {
        variables[flag.variable].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The parts of the twin's text between commas, without spaces; nil where it is unset.
    func list(_ flag: FlagName) -> [String]? {
        text(flag)?.split(separator: ",").map { String($0.filter { !$0.isWhitespace }) }
    }

    /// The twin's value, which a function reads from its text.
    func value<Value>(
        _ flag: FlagName,
        expecting expectation: String,
        _ read: (String) -> Value?
    ) throws(UsageError) -> Value? {
        guard let text = text(flag) else { return nil }
        guard let value = read(text) else {
            throw UsageError(flag.variable, expected: expectation, found: text)
        }
        return value
    }

    /// The twin of a switch: `true`, `1`, `false` or `0`.
    func isSet(_ flag: FlagName) throws(UsageError) -> Bool? {
        try value(flag, expecting: "true, 1, false or 0") { text in
            switch text.lowercased() {
            case "true", "1": true
            case "false", "0": false
            default: nil
            }
        }
    }
}

extension Environment {
    /// Variables that are set and have no effect, a sentence each.
    var warnings: [String] {
        let names = Set(FlagName.allCases.map(\.variable))
        var warnings = variables.keys.sorted().compactMap { name -> String? in
            guard name.hasPrefix("NHE_"), !names.contains(name), !isOfKubernetes(name) else { return nil }
            let hint = closest(to: name, among: names.sorted()).map { ", did you mean \($0)?" } ?? ""
            return "\(name): unknown variable\(hint)"
        }
        if let mode = variables[Self.debugMode], !["", "0", "1"].contains(mode) {
            warnings.append("\(Self.debugMode): expected 1 or 0, found \(JSONText.quoted(mode))")
        }
        return warnings
    }

    /// Whether it is one of those that Kubernetes sets for a service whose name is `nhe`, or begins with `nhe-`.
    private func isOfKubernetes(_ name: String) -> Bool {
        if name.hasSuffix("_SERVICE_HOST") || name.contains("_SERVICE_PORT") { return true }
        let words = name.split(separator: "_")
        if zip(words, words.dropFirst()).contains(where: { $0 == "PORT" && UInt16($1) != nil }) { return true }
        return name.hasSuffix("_PORT") && variables[name]?.contains("://") == true
    }
}

/// A wrong flag or variable; exits with status 64.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// A text with an `@` may be a URL with a password: it is not repeated.
    init(_ source: String, expected: String, found: String) {
        self.init("\(source): expected \(expected)" + (found.contains("@") ? "" : ", found \(JSONText.quoted(found))"))
    }
}
