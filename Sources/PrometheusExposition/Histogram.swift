/// Observations counted in fixed buckets, with their sum.
public struct Histogram: Sendable, Hashable {
    /// The upper bounds of the buckets, shared by all series of a family.
    ///
    /// Written as a literal, ascending and without the implied `+Inf`: `[0.005, 0.01, 0.1, 1]`.
    public struct Bounds: Sendable, Hashable, ExpressibleByArrayLiteral {
        let values: [Double]
        /// The `le` values as printed, always as floats, so that a bucket is the same series in both formats.
        let texts: [String]

        /// Takes ascending finite bounds.
        public init(_ values: [Double]) {
            precondition(values.allSatisfy(\.isFinite), "a bound is infinite or not a number")
            precondition(zip(values, values.dropFirst()).allSatisfy(<), "bounds do not ascend")
            self.values = values
            texts = values.map(\.description)
        }

        /// Takes ascending finite bounds.
        public init(arrayLiteral elements: Double...) {
            self.init(elements)
        }
    }

    /// The buckets' upper bounds.
    public let bounds: Bounds
    /// The sum of all observed values.
    public private(set) var sum = 0.0
    /// How many values were observed.
    public private(set) var count: UInt64 = 0
    /// Observations per bucket, each counted once; what is above the last bound shows only in `count`.
    private(set) var counts: [UInt64]

    /// A histogram that has observed nothing.
    public init(bounds: Bounds) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.values.count)
    }

    /// A histogram that was counted elsewhere.
    ///
    /// - Parameters:
    ///   - bounds: the buckets' upper bounds.
    ///   - counts: observations per bucket, not cumulated; the last one is what lies above every bound.
    ///   - sum: of all observed values.
    public init(bounds: Bounds, counts: [UInt64], sum: Double) {
        precondition(counts.count == bounds.values.count + 1, "one count a bucket, and one above")
        self.bounds = bounds
        self.counts = Array(counts.dropLast())
        self.sum = sum
        count = counts.reduce(0, &+)
    }

    /// Counts one value; NaN is ignored, because it would spoil the sum for ever.
    public mutating func observe(_ value: Double) {
        guard !value.isNaN else { return }
        if let bucket = bounds.values.firstIndex(where: { value <= $0 }) {
            counts[bucket] &+= 1
        }
        sum += value
        count &+= 1
    }

    /// Counts one duration, in seconds.
    public mutating func observe(_ duration: Duration) {
        observe(duration / .seconds(1))
    }
}
