/// One element of a header such as `Accept` or `Accept-Encoding` (RFC 9110, section 12.4.2): a value with its weight.
package struct AcceptedValue: Sendable, Equatable {
    /// In lower case: `text/plain`, `gzip`, `*`.
    package var name: String
    /// The parameter `q`, from 0 to 1; 1 without one, nil when it is malformed.
    package var weight: Double? = 1
    /// The other parameters, names in lower case, values without quotes.
    package var parameters: [String: String] = [:]

    /// The elements of a header's value, in their order.
    package static func list(_ value: some StringProtocol) -> [AcceptedValue] {
        value.split(separator: ",").map { AcceptedValue(Substring($0)) }
    }

    private init(_ element: Substring) {
        let parts = element.split(separator: ";", omittingEmptySubsequences: false)
        name = Self.trimmed(parts[0]).lowercased()
        for parameter in parts.dropFirst() {
            let pair = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(Self.trimmed)
            guard pair.count == 2 else { continue }
            switch pair[0].lowercased() {
            case "q": weight = Double(pair[1]).flatMap { (0...1).contains($0) ? $0 : nil }
            case let name: parameters[name] = pair[1].filter { $0 != "\"" }
            }
        }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        guard let last = text.lastIndex(where: { !isSpace($0) }) else { return "" }
        return text[...last].drop(while: isSpace)
    }
}
