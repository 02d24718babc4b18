/// The token in the header `Authorization` (RFC 6750).
enum BearerToken {
    /// Whether a header has the token behind the scheme, whose name has no case (RFC 9110, 11.1).
    static func isRight(_ header: String?, _ token: String) -> Bool {
        let parts = (header ?? "").split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return false }
        return isEqual(parts[1].drop { $0 == " " }, token[...])
    }

    /// In a time that depends on the lengths only.
    private static func isEqual(_ left: Substring, _ right: Substring) -> Bool {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
