/// Header fields in order, repeated ones kept; names are case-insensitive.
public struct Headers: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// One field as it was received or is to be sent.
    public struct Field: Sendable, Hashable {
        /// Spelled as received.
        public var name: String
        /// Without surrounding space.
        public var value: String

        /// A pair.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The fields, in order.
    public private(set) var fields: [Field] = []

    /// No fields.
    public init() {}

    /// Repeated names are kept.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map(Field.init)
    }

    /// The first value of that name; setting replaces all of them, nil removes them.
    public subscript(name: String) -> String? {
        get { fields.first { Self.isSame($0.name, name) }?.value }
        set {
            fields.removeAll { Self.isSame($0.name, name) }
            if let newValue { add(name, newValue) }
        }
    }

    /// Every value of that name, in order.
    public func values(_ name: String) -> [String] {
        fields.compactMap { Self.isSame($0.name, name) ? $0.value : nil }
    }

    /// Appends a field and keeps those of the same name.
    public mutating func add(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Removes the space behind the values, which is no part of them (RFC 9112, section 5.1).
    mutating func trimEnds() {
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        for index in fields.indices {
            let value = fields[index].value.utf8
            guard let last = value.last, isSpace(last) else { continue }
            fields[index].value = value.lastIndex { !isSpace($0) }.map { String(Substring(value[...$0])) } ?? ""
        }
    }

    /// Whether two ASCII names differ at most in case.
    static func isSame(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count && zip(one.utf8, other.utf8).allSatisfy { lowercased($0) == lowercased($1) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
    }
}
