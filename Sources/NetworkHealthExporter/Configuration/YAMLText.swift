/// A string as the configuration file has it, so that reading it gives the same string again.
enum YAMLText {
    /// In double quotes, with `${` kept from being filled in.
    ///
    /// JSON's escapes are YAML's too; beyond ASCII there are characters that YAML folds or refuses, so all are escaped.
    static func quoted(_ text: String) -> String {
        var result = ""
        for scalar in JSONText.quoted(text.replacing("${", with: "$${")).unicodeScalars {
            if scalar.isASCII {
                result.unicodeScalars.append(scalar)
            } else {
                let digits = String(scalar.value, radix: 16)
                result += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
            }
        }
        return result
    }

    /// `{ key: value, … }` with values that are YAML already.
    static func flow(_ entries: [(key: String, value: String)]) -> String {
        entries.isEmpty ? "{}" : "{ \(entries.map { "\($0): \($1)" }.joined(separator: ", ")) }"
    }

    /// `[value, …]` with values that are YAML already.
    static func list(_ values: [String]) -> String { "[\(values.joined(separator: ", "))]" }

    /// What stands where a secret does.
    static let secret = quoted("<secret>")
}
