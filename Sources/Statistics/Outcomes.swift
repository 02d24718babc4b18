/// The outcomes of a repeated measurement, the oldest first: a value each, or a loss.
///
/// The statistics are computed when they are read.
package struct Outcomes: Sendable, Equatable {
    /// nil: lost.
    package private(set) var list: [Duration?]

    package init(_ list: [Duration?] = []) { self.list = list }

    package mutating func append(_ outcome: Duration?) { list.append(outcome) }

    package var count: Int { list.count }

    /// The share of losses, 0 to 1; nil without an outcome.
    package var lossRatio: Double? {
        list.isEmpty ? nil : Double(list.count { $0 == nil }) / Double(list.count)
    }

    /// The mean difference between one value and the next, losses between them ignored; nil before the second.
    package var jitter: Duration? {
        let values = values
        guard values.count > 1 else { return nil }
        let sum = zip(values, values.dropFirst()).reduce(Duration.zero) {
            $0 + ($1.0 < $1.1 ? $1.1 - $1.0 : $1.0 - $1.1)
        }
        return sum / (values.count - 1)
    }

    package var median: Duration? { values.median }

    /// Without losses.
    private var values: [Duration] { list.compactMap(\.self) }
}

extension Collection where Element == Duration {
    /// What half of the values do not exceed: the one in the middle, the mean of two there; nil without a value.
    package var median: Duration? { middle { ($0 + $1) / 2 } }
}

extension Collection where Element == Double {
    /// What half of the values do not exceed: the one in the middle, the mean of two there; nil without a value.
    package var median: Double? { middle { ($0 + $1) / 2 } }
}

extension Collection where Element: Comparable {
    fileprivate func middle(_ mean: (Element, Element) -> Element) -> Element? {
        guard !isEmpty else { return nil }
        let sorted = sorted()
        let half = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? mean(sorted[half - 1], sorted[half]) : sorted[half]
    }

    /// The smallest value that three quarters of them do not exceed; nil where there is none.
    package var upperQuartile: Element? {
        isEmpty ? nil : sorted()[(count * 3 + 3) / 4 - 1]
    }
}
