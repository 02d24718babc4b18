/// The grammar of headers (RFC 9110).
enum HeaderText {
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0.isNameByte || "!#$%&'*+.^`|~".utf8.contains($0) }
    }

    static func isValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { ($0 >= 0x20 || $0 == 0x09) && $0 != 0x7f }
    }
}
