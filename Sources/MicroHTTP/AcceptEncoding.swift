/// Reads `Accept-Encoding` (RFC 9110 section 12.5.3).
enum AcceptEncoding {
    /// Whether gzip may be sent: named with a weight above 0, or left to `*`.
    static func allowsGzip(_ values: [String]) -> Bool {
        var any = false
        for item in values.flatMap({ $0.split(separator: ",") }) {
            let parts = item.split(separator: ";", omittingEmptySubsequences: false).map(trimmed)
            let coding = parts[0].lowercased()
            let isWanted = !parts.dropFirst().contains(where: isZeroWeight)
            if coding == "gzip" || coding == "x-gzip" { return isWanted }
            if coding == "*" { any = isWanted }
        }
        return any
    }

    /// `q=0`, `q=0.`, `q=0.000`.
    private static func isZeroWeight(_ parameter: Substring) -> Bool {
        guard parameter.lowercased().hasPrefix("q="), parameter.utf8.count > 2 else { return false }
        return parameter.utf8.dropFirst(2).allSatisfy { $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: ".") }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let start = text.drop(while: isSpace)
        return start.lastIndex { !isSpace($0) }.map { start[...$0] } ?? ""
    }
}
