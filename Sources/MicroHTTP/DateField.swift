import Glibc

/// The value of `Date` (RFC 9110, section 5.6.7).
enum DateField {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// A time since the epoch, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// - Returns: nil for a year that no calendar reaches.
    static func text(_ time: Duration) -> String? {
        var seconds = time_t(time.components.seconds)
        var parts = tm()
        guard gmtime_r(&seconds, &parts) != nil, (0...8099).contains(parts.tm_year) else { return nil }
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(digits).joined(separator: ":")
        let (day, month) = (days[Int(parts.tm_wday)], months[Int(parts.tm_mon)])
        return "\(day), \(digits(parts.tm_mday)) \(month) \(Int(parts.tm_year) + 1900) \(clock) GMT"
    }

    private static func digits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
