/// The last outcomes of a repeated measurement: a value each, or a loss.
///
/// A push takes constant time; the statistics are computed when they are read.
package struct SlidingWindow: Sendable, Equatable {
    private let capacity: Int
    /// A ring once it is full; nil: lost.
    private var outcomes: [Duration?] = []
    /// The index of the oldest once the ring is full.
    private var oldest = 0
    private var losses = 0
    /// How many outcomes were ever added.
    package private(set) var pushes: UInt64 = 0
    /// How many of the newest are lost in a row.
    package private(set) var lossesInARow = 0

    /// - Parameter capacity: how many are remembered; at least one.
    package init(capacity: Int = 100) {
        self.capacity = Swift.max(1, capacity)
    }

    /// The number of outcomes in the window.
    package var count: Int { outcomes.count }

    /// Whether the next outcome replaces the oldest.
    package var isFull: Bool { outcomes.count == capacity }

    /// Adds the newest outcome, nil for a loss, in place of the oldest.
    package mutating func push(_ outcome: Duration?) {
        pushes += 1
        if outcome == nil { losses += 1 }
        lossesInARow = outcome == nil ? lossesInARow + 1 : 0
        guard isFull else {
            outcomes.append(outcome)
            return
        }
        if outcomes[oldest] == nil { losses -= 1 }
        outcomes[oldest] = outcome
        oldest = (oldest + 1) % capacity
    }

    /// The share of losses, 0 to 1; nil if the window is empty.
    package var lossRatio: Double? {
        outcomes.isEmpty ? nil : Double(losses) / Double(outcomes.count)
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

    /// The newest outcomes, at most `count`, the oldest first.
    package func newest(_ count: UInt64) -> [Duration?] {
        (outcomes[oldest...] + outcomes[..<oldest]).suffix(Int(clamping: count))
    }

    package var median: Duration? { values.median { ($0 + $1) / 2 } }

    package var mean: Duration? {
        let values = values
        return values.isEmpty ? nil : values.reduce(.zero, +) / values.count
    }

    /// The values without losses, the oldest first.
    private var values: [Duration] {
        (outcomes[oldest...] + outcomes[..<oldest]).compactMap(\.self)
    }
}

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
