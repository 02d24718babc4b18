extension Collection where Element: Comparable {
    /// The value in the middle; nil where there is none.
    ///
    /// - Parameter midpoint: joins the two in the middle of an even number.
    /// - Returns: what half of the values do not exceed.
    package func median(midpoint: (Element, Element) -> Element) -> Element? {
        guard !isEmpty else { return nil }
        let sorted = sorted()
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? midpoint(sorted[middle - 1], sorted[middle]) : sorted[middle]
    }

    /// The smallest value that three quarters of them do not exceed; nil where there is none.
    package var upperQuartile: Element? {
        isEmpty ? nil : sorted()[(count * 3 + 3) / 4 - 1]
    }
}
