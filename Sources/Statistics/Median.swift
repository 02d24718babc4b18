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
}
