import FoundationEssentials

/// Compares this host's clock with a server's.
enum ClockCheck {
    /// In seconds.
    ///
    /// Certificates live for weeks and are made a little old: less than a day does not make them invalid.
    static let tolerance = 86_400.0

    /// - Parameters:
    ///   - header: the value of `Date`, as in `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7); nil where there is none.
    ///   - now: this host's time.
    /// - Returns: true if they are more than a day apart; false also for a date that cannot be read.
    static func isWrong(header: String?, now: Date) -> Bool {
        guard let date = header.flatMap(date) else { return false }
        return abs(now.timeIntervalSince(date)) > tolerance
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Of the three forms the one that servers may send.
    private static func date(of header: String) -> Date? {
        let words = header.split(separator: " ")
        // The calendar does not come back from a year of twenty digits.
        guard words.map(\.utf8.count) == [4, 2, 3, 4, 8, 3], words[3].allSatisfy(\.isNumber),
            let month = months.firstIndex(of: String(words[2]))
        else { return nil }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        return try? Date("\(words[3])-\(number)-\(words[1])T\(words[4])Z", strategy: .iso8601)
    }
}
