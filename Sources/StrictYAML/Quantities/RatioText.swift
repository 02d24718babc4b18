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
