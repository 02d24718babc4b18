package import FoundationEssentials

/// Reads a date of a header, which is the server's text.
package enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

    /// The three forms that a recipient must accept (RFC 9110, 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`,
    /// `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
    ///
    /// - Returns: nil for every other text, and for a day that no calendar has.
    package static func parse(_ text: String) -> Date? {
        // The longest is `Wednesday, 09-Nov-94 08:49:37 GMT`.
        guard text.utf8.count <= 33, days.contains(String(text.prefix(3))) else { return nil }
        let words = text.split(separator: " ")
        let isGMT = words.last == "GMT"
        switch words.count {
        case 6 where isGMT && words[0].count == 4 && words[0].hasSuffix(","):
            return date(year: words[3], month: words[2], day: words[1], time: words[4])
        case 4 where isGMT && words[0].hasSuffix("day,"):
            let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 3, parts[2].utf8.count == 2, let year = UInt8(parts[2]) else { return nil }
            return date(year: "\(year < 69 ? 20 : 19)\(parts[2])"[...], month: parts[1], day: parts[0], time: words[2])
        case 5 where words[0].count == 3:
            let day = words[2].utf8.count == 1 ? "0\(words[2])"[...] : words[2]
            return date(year: words[4], month: words[1], day: day, time: words[3])
        default: return nil
        }
    }

    private static func date(year: Substring, month: Substring, day: Substring, time: Substring) -> Date? {
        guard let index = months.firstIndex(of: String(month)) else { return nil }
        let text = "\(year)-\(index < 9 ? "0" : "")\(index + 1)-\(day) \(time) GMT"
        return NumericDate.parse(Array(text.utf8).span.bytes)
    }
}

/// Reads a date of a header, for the fuzzer.
///
/// - Returns: whether it was accepted.
package func fuzzHTTPDate(_ bytes: [UInt8]) -> Bool {
    guard let date = HTTPDate.parse(String(decoding: bytes, as: UTF8.self)) else { return false }
    precondition((-62_167_219_200..<253_402_300_800).contains(date.timeIntervalSince1970))
    return true
}
