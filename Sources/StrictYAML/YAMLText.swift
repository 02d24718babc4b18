/// A value as a configuration file has it, so that reading it gives the same value again.
package indirect enum YAMLText: Sendable, Equatable {
    /// Without quotes: a number, a duration, a keyword.
    case plain(String)
    /// A text of any content.
    case quoted(String)
    case list([YAMLText])
    case mapping([Entry])

    package struct Entry: Sendable, Equatable {
        package var key: String
        package var value: YAMLText

        package init(_ key: String, _ value: YAMLText) {
            self.key = key
            self.value = value
        }
    }

    /// What is printed in place of a secret.
    package static let secret = YAMLText.quoted("<secret>")

    /// The value on one line.
    package var flow: String {
        switch self {
        case .plain(let text): text
        // `${` would be filled in.
        case .quoted(let text): Self.quote(text.replacing("${", with: "$${"))
        case .list(let items): "[\(items.map(\.flow).joined(separator: ", "))]"
        case .mapping(let entries) where entries.isEmpty: "{}"
        case .mapping(let entries):
            "{ \(entries.map { "\(Self.key($0.key)): \($0.value.flow)" }.joined(separator: ", ")) }"
        }
    }

    /// The value as a document: the first two levels of keys have lines of their own.
    package var document: String { lines(depth: 0).map { $0 + "\n" }.joined() }

    /// `depth` is the number of keys that lead here.
    private func lines(depth: Int) -> [String] {
        guard isBlock(depth: depth) else { return [flow] }
        switch self {
        case .plain, .quoted: return [flow]
        case .list(let items):
            return items.flatMap { item in
                item.lines(depth: depth).enumerated().map { ($0.offset == 0 ? "- " : "  ") + $0.element }
            }
        case .mapping(let entries):
            return entries.flatMap { entry in
                let key = "\(Self.key(entry.key)):"
                let lines = entry.value.lines(depth: depth + 1)
                return entry.value.isBlock(depth: depth + 1) ? [key] + lines.map { "  " + $0 } : ["\(key) \(lines[0])"]
            }
        }
    }

    private func isBlock(depth: Int) -> Bool {
        switch self {
        case .plain, .quoted: false
        case .list(let items): depth <= 2 && items.contains { if case .mapping = $0 { true } else { false } }
        case .mapping(let entries): depth < 2 && !entries.isEmpty
        }
    }

    private static func key(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        return isPlain && !name.isEmpty ? name : quote(name)
    }

    /// In double quotes; YAML folds or refuses some characters beyond ASCII, so all of them are escaped.
    private static func quote(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case " "..."~": result.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16)
                result += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
            }
        }
        return result + "\""
    }
}
