/// The path of a request's URL, as libcurl sends it: as it is written.
///
/// A server may take `/v1/../admin`, `/v1/%2e%2e/admin` or `/v1/..;/admin` for `/admin`. Where a path is limited, everything that servers
/// read differently is refused, in place of guessing what this one makes of it.
enum RequestPath {
    /// Whether a path begins with another one, segment by segment: `/v1` has `/v1` and `/v1/x` below it, but not `/v10`.
    static func isBelow(_ path: String, _ prefix: String) -> Bool {
        // Bytes, since two texts of Swift are equal in more than one form.
        let (path, prefix) = (Array(path.utf8), Array(prefix.utf8))
        guard path.starts(with: prefix) else { return false }
        return path.count == prefix.count || prefix.last == slash || path[prefix.count] == slash
    }

    /// Whether every server reads a path in the same way.
    ///
    /// It has no dot segment, empty segment or backslash, none of these behind an escape or before a semicolon, and nothing but
    /// ASCII and escapes of UTF-8.
    static func isPlain(_ path: String) -> Bool {
        guard let bytes = unescaped(path), bytes.first == slash,
            String(validating: bytes, as: UTF8.self) != nil
        else { return false }
        let segments = bytes.dropFirst().split(separator: slash, omittingEmptySubsequences: false)
        return segments.enumerated().allSatisfy { index, segment in
            // Some servers drop what follows a semicolon, and spaces and dots at the end.
            let name = segment.prefix { $0 != UInt8(ascii: ";") }
            let isEnd = index == segments.count - 1 && segment.isEmpty
            return isEnd || !name.allSatisfy { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: " ") }
        }
    }

    /// nil for an escape that is none, or whose byte has a meaning of its own in a path.
    private static func unescaped(_ path: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = path.utf8[...]
        while let byte = rest.popFirst() {
            guard byte > 0x20, byte < 0x7f, byte != UInt8(ascii: "\\") else { return nil }
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, rest.prefix(2).allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
                let escaped = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16),
                escaped >= 0x20, escaped != 0x7f, !"./\\%".utf8.contains(escaped)
            else { return nil }
            bytes.append(escaped)
            rest = rest.dropFirst(2)
        }
        return bytes
    }

    private static let slash = UInt8(ascii: "/")
}
