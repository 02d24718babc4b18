/// A histogram of durations.
package struct DurationHistogram: Sendable, Equatable {
    /// Upper bounds in seconds, ascending; a last one, infinity, is implied.
    package let bounds: [Double]
    /// Observations per bucket, not cumulative; one more than there are bounds.
    package private(set) var counts: [UInt64]
    /// The sum in seconds.
    package private(set) var sum = 0.0

    package init(bounds: [Double]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    package mutating func observe(_ duration: Duration) {
        let seconds = duration.seconds
        counts[bounds.firstIndex { seconds <= $0 } ?? bounds.count] += 1
        sum += seconds
    }
}

extension Duration {
    /// As a number of seconds, for metrics and JSON.
    package var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
