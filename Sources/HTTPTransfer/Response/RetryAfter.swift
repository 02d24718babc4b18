package import FoundationEssentials

/// The header `Retry-After` (RFC 9110 section 10.2.3).
package enum RetryAfter {
    /// The wait that it asks for, in seconds or as a date; nil for anything else.
    package static func delay(_ text: String, from now: Date) -> Duration? {
        if let seconds = UInt32(text) { return .seconds(Int64(seconds)) }
        guard let date = HTTPDate.parse(text) else { return nil }
        return .seconds(max(0, min(date.timeIntervalSince(now), Double(UInt32.max))))
    }
}
