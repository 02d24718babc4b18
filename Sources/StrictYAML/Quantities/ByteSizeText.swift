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
