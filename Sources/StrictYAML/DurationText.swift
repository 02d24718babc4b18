/// Durations as Prometheus spells them: `50ms`, `5m`, `1h30m`, `90d`.
package enum DurationText {
    /// What an error message says was expected.
    package static let expectation = "a duration such as 50ms, 1s, 5m, 1h30m or 90d"

    /// The longest duration, a century, leaves room for sums and for nanoseconds in 64 bits.
    package static let longest = Duration.seconds(36_500 * 86_400)

    /// The units, largest first, in milliseconds.
    private static let units: [(name: String, milliseconds: Int64)] = [
        ("w", 604_800_000), ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
    ]

    /// Reads whole numbers with units, the larger unit first and each once, or a bare `0`; nil for anything else.
    package static func parse(_ text: some StringProtocol) -> Duration? {
        if text == "0" { return .zero }
        var rest = Substring(text)
        var allowed = units[...]
        var total: Int64 = 0
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            let letters = rest.dropFirst(digits.count).prefix { $0.isASCII && $0.isLetter }
            guard let number = Int64(digits), let unit = allowed.firstIndex(where: { $0.name == letters }) else {
                return nil
            }
            let (part, overflowed) = number.multipliedReportingOverflow(by: units[unit].milliseconds)
            let sum = total.addingReportingOverflow(part)
            guard !overflowed, !sum.overflow else { return nil }
            total = sum.partialValue
            allowed = units[(unit + 1)...]
            rest = rest.dropFirst(digits.count + letters.count)
        }
        let duration = Duration.milliseconds(total)
        return text.isEmpty || duration > longest ? nil : duration
    }

    /// The duration in the form that ``parse(_:)`` reads, cut to milliseconds.
    ///
    /// Weeks and days only when nothing remains, as Prometheus does: `90d` and `1w`, but `36h`.
    package static func format(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let (scaled, overflowed) = seconds.multipliedReportingOverflow(by: 1000)
        guard !overflowed, scaled != 0 || attoseconds / 1_000_000_000_000_000 != 0 else {
            return overflowed ? "\(seconds)s" : "0s"
        }
        let milliseconds = scaled + attoseconds / 1_000_000_000_000_000
        var rest = milliseconds.magnitude
        var text = milliseconds < 0 ? "-" : ""
        for unit in units {
            let size = UInt64(unit.milliseconds)
            let needsNoRest = unit.name == "w" || unit.name == "d"
            guard rest >= size, !needsNoRest || rest.isMultiple(of: size) else { continue }
            text += "\(rest / size)\(unit.name)"
            rest %= size
        }
        return text
    }
}
