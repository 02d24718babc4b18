/// One element of a header such as `Accept` or `Accept-Encoding` (RFC 9110, section 12.4.2): a value with its weight.
package struct AcceptedValue: Sendable, Equatable {
    /// In lower case: `text/plain`, `gzip`, `*`.
    package var name: String
    /// The parameter `q`, from 0 to 1; 1 without one, nil when it is malformed.
    package var weight: Double? = 1
    /// The other parameters, names in lower case, values without quotes.
    package var parameters: [String: String] = [:]

    /// The elements of a header's value, in their order.
    package static func list(_ value: String) -> [AcceptedValue] {
        value.utf8.split(separator: UInt8(ascii: ",")).map(AcceptedValue.init)
    }

    private init(_ element: Substring.UTF8View) {
        let parts = element.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        name = Self.trimmed(parts[0]).lowercased()
        for parameter in parts.dropFirst() {
            guard let equals = parameter.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let value = Self.trimmed(parameter[equals...].dropFirst())
            switch Self.trimmed(parameter[..<equals]).lowercased() {
            case "q": weight = Double(value).flatMap { (0...1).contains($0) ? $0 : nil }
            case let name: parameters[name] = value.filter { $0 != "\"" }
            }
        }
    }

    private static func trimmed(_ text: Substring.UTF8View) -> Substring {
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard let last = text.lastIndex(where: { !isSpace($0) }) else { return "" }
        return Substring(text[...last].drop(while: isSpace))
    }
}
