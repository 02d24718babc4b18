package import FoundationEssentials

/// The header `Retry-After` (RFC 9110 section 10.2.3).
package enum RetryAfter {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// The wait that it asks for, in seconds or as a date; nil for anything else.
    package static func delay(_ text: String, from now: Date) -> Duration? {
        if let seconds = UInt32(text) { return .seconds(Int64(seconds)) }
        // Sun, 06 Nov 1994 08:49:37 GMT
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let month = months.firstIndex(of: String(parts[2])),
            let date = try? Date(
                "\(parts[3])-\(month < 9 ? "0" : "")\(month + 1)-\(parts[1])T\(parts[4])Z",
                strategy: .iso8601
            )
        else { return nil }
        return .seconds(max(0, min(date.timeIntervalSince(now), Double(UInt32.max))))
    }
}
