/// Numbers as people write them; Swift's own reading also takes `nan`, `inf` and hexadecimal.
package enum DecimalText {
    /// Reads a finite decimal number; nil for anything else.
    package static func parse(_ text: some StringProtocol) -> Double? {
        guard text.utf8.allSatisfy({ "0123456789.-eE+".utf8.contains($0) }) else { return nil }
        guard let number = Double(text), number.isFinite else { return nil }
        return number
    }
}
