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
