/// The labels of one series, in the order in which they are printed.
///
/// Names are the program's own and must satisfy ``isValidName(_:)``; values are outside data and may be any text.
public struct Labels: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// As both formats print them, `name="value",…`: most labels are printed often and never change.
    private(set) var text: [UInt8] = []

    /// Takes pairs as they come, for instance a target's own labels from the configuration.
    public init(_ pairs: some Sequence<(name: String, value: String)>) {
        for (name, value) in pairs {
            append(name, value)
        }
    }

    /// Takes `["device": "eth0", "family": "ipv4"]` in the order written.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.lazy.map { (name: $0.0, value: $0.1) })
    }

    /// Adds one label at the end.
    public mutating func append(_ name: String, _ value: String) {
        assert(Self.isValidName(name), "invalid label name \(name)")
        assert(self[name] == nil, "label \(name) given twice")
        let isFirst = text.isEmpty
        text.append(addingCapacity: name.utf8.count + 2 * value.utf8.count + 4) { output in
            if !isFirst { output.append(ascii: ",") }
            output.append(name)
            output.append("=\"")
            output.appendEscaped(value, quotes: true)
            output.append(ascii: "\"")
        }
    }

    /// The value of a label, nil when there is none of that name.
    public subscript(_ name: String) -> String? {
        var rest = text[...]
        while let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
            let isNamed = rest[..<equals].elementsEqual(name.utf8)
            var value: [UInt8] = []
            rest = rest[equals...].dropFirst(2)
            while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
                guard byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() else {
                    value.append(byte)
                    continue
                }
                value.append(escaped == UInt8(ascii: "n") ? UInt8(ascii: "\n") : escaped)
            }
            if isNamed { return String(decoding: value, as: UTF8.self) }
            // The comma.
            rest = rest.dropFirst()
        }
        return nil
    }

    /// Whether Prometheus takes this as a label's name: `[a-zA-Z_][a-zA-Z0-9_]*`, not starting with `__`.
    ///
    /// Configurations that let users name labels ask this before they hand the name over.
    public static func isValidName(_ name: String) -> Bool {
        isIdentifier(name, colons: false) && !name.utf8.starts(with: "__".utf8)
    }
}

/// The common shape of metric and label names; only metric names may hold colons.
func isIdentifier(_ name: String, colons: Bool) -> Bool {
    var isFirst = true
    for byte in name.utf8 {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): break
        case UInt8(ascii: "0")...UInt8(ascii: "9") where !isFirst: break
        case UInt8(ascii: ":") where colons: break
        default: return false
        }
        isFirst = false
    }
    return !isFirst
}
