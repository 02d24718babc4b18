/// Sizes in bytes, decimal (`64MB`) or binary (`64MiB`).
package enum ByteSizeText {
    /// What an error message says was expected.
    package static let expectation = "a size such as 64MB, 64MiB or 20GB"

    /// Reads a number with its unit, or a bare `0`; nil for anything else and for more than `Int.max` bytes.
    package static func parse(_ text: some StringProtocol) -> Int? {
        text == "0"
            ? 0
            : ScaledNumber.parse(
                text,
                units: [
                    ("B", 1), ("kB", 1000), ("KB", 1000), ("MB", 1_000_000), ("GB", 1_000_000_000),
                    ("TB", 1_000_000_000_000), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40),
                ]
            )
    }

    /// The size in the form that ``parse(_:)`` reads: in the largest decimal unit that leaves no fraction.
    package static func format(_ bytes: Int) -> String {
        let units = [("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000)]
        guard bytes != 0 else { return "0" }
        let unit = units.first { bytes.isMultiple(of: $0.1) } ?? ("B", 1)
        return "\(bytes / unit.1)\(unit.0)"
    }
}

/// Rates in bits per second, always decimal (`4Mbps`).
package enum BitRateText {
    /// What an error message says was expected.
    package static let expectation = "a rate such as 500kbps, 4Mbps or 2.5Gbps"

    /// Reads a number with its unit, or a bare `0`, as bits per second; nil for anything else.
    package static func parse(_ text: some StringProtocol) -> Int? {
        text == "0" ? 0 : ScaledNumber.parse(text, units: units)
    }

    /// The rate in the form that ``parse(_:)`` reads: in the largest unit that leaves no fraction.
    package static func format(_ rate: Int) -> String {
        guard rate != 0, let unit = units.last(where: { rate.isMultiple(of: $0.size) }) else { return "0" }
        return "\(rate / unit.size)\(unit.name)"
    }

    private static let units: [(name: String, size: Int)] = [
        ("bps", 1), ("kbps", 1000), ("Mbps", 1_000_000), ("Gbps", 1_000_000_000),
    ]
}

/// Ratios from 0 to 1, also as a percentage (`1%`).
package enum RatioText {
    /// What an error message says was expected.
    package static let expectation = "a ratio from 0 to 1, such as 0.2, or from 0% to 100%"

    /// Reads the number; nil for anything else and for what lies outside.
    package static func parse(_ text: some StringProtocol) -> Double? {
        let isPercentage = text.hasSuffix("%")
        guard let number = DecimalText.parse(isPercentage ? text.dropLast() : text[...]) else { return nil }
        let ratio = isPercentage ? number / 100 : number
        return (0...1).contains(ratio) ? ratio : nil
    }
}

/// Decimal numbers; Swift's own initializer also accepts `nan`, `inf` and hexadecimal.
package enum DecimalText {
    /// Reads a finite decimal number; nil for anything else.
    package static func parse(_ text: some StringProtocol) -> Double? {
        guard text.utf8.allSatisfy({ "0123456789.-eE+".utf8.contains($0) }) else { return nil }
        guard let number = Double(text), number.isFinite else { return nil }
        return number
    }
}

/// Decimal numbers with a unit: `64MB`, `1.5GiB`, `2.5Gbps`.
private enum ScaledNumber {
    /// The number in the base unit, cut to a whole one; nil when it is malformed, negative or too large.
    static func parse(_ text: some StringProtocol, units: [(name: String, size: Int)]) -> Int? {
        let number = text.prefix { ($0.isASCII && $0.isNumber) || $0 == "." }
        let unit = text.dropFirst(number.count)
        guard let size = units.first(where: { $0.name == unit })?.size else { return nil }
        let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = Int(parts[0]) else { return nil }
        let (scaled, overflowed) = whole.multipliedReportingOverflow(by: size)
        guard !overflowed else { return nil }
        guard parts.count == 2 else { return scaled }
        // Six decimals of the largest unit still multiply within 64 bits.
        guard (1...6).contains(parts[1].count), let fraction = Int(parts[1]), size > 1 else { return nil }
        var divisor = 1
        for _ in parts[1].indices {
            divisor *= 10
        }
        let (sum, sumOverflowed) = scaled.addingReportingOverflow(fraction * size / divisor)
        return sumOverflowed ? nil : sum
    }
}
