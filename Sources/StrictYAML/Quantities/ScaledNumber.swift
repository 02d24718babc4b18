/// Decimal numbers with a unit: `64MB`, `1.5GiB`, `2.5Gbps`.
enum ScaledNumber {
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
