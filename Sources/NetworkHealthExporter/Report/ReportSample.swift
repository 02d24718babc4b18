/// What values say together: how many measurements they are of, and which value half of these do not exceed.
struct ReportSample: Sendable, Equatable {
    /// A value, and how many measurements it is of.
    struct Value: Sendable, Equatable {
        var value: Double
        var count = 1
    }

    let count: Int
    let median: Double
    /// The smallest value that a tenth of the measurements do not exceed.
    let tenth: Double
    let lowest: Double
    let highest: Double

    /// nil for no measurement.
    init?(_ values: [Value]) {
        let sorted = values.filter { $0.count > 0 }.sorted { $0.value < $1.value }
        guard let first = sorted.first, let last = sorted.last else { return nil }
        count = sorted.reduce(0) { $0 + $1.count }
        (lowest, highest) = (first.value, last.value)
        let (middle, next) = Self.quantile(of: sorted, 2, count)
        median = (middle + next) / 2
        tenth = Self.quantile(of: sorted, 10, count).0
    }

    /// The value with which one of so many parts of the measurements is complete, and the next one where it is so exactly.
    private static func quantile(of sorted: [Value], _ parts: Int, _ count: Int) -> (Double, Double) {
        var passed = 0
        for (index, value) in sorted.enumerated() {
            passed += value.count
            guard passed * parts >= count else { continue }
            let isExact = passed * parts == count && index + 1 < sorted.count
            return (value.value, isExact ? sorted[index + 1].value : value.value)
        }
        return (0, 0)
    }
}

/// Whether one group of values is higher than another, by their ranks alone (Mann and Whitney 1947).
enum RankSum {
    /// The standard score of the first group's ranks, by the normal approximation: above 3 it is higher, by chance in one of 740
    /// cases.
    ///
    /// - Returns: 0 where one of them is empty, or all values are equal.
    static func score(_ first: [Double], _ second: [Double]) -> Double {
        let all = (first.map { ($0, true) } + second.map { ($0, false) }).sorted { $0.0 < $1.0 }
        guard !first.isEmpty, !second.isEmpty, all[0].0 < all[all.count - 1].0 else { return 0 }
        var sum = 0.0
        var start = 0
        while start < all.count {
            // Equal values share the mean of their ranks.
            let end = all[start...].firstIndex { $0.0 != all[start].0 } ?? all.count
            sum += Double(all[start..<end].count { $0.1 }) * Double(start + 1 + end) / 2
            start = end
        }
        let (n, m) = (Double(first.count), Double(second.count))
        return (sum - n * (n + m + 1) / 2) / (n * m * (n + m + 1) / 12).squareRoot()
    }
}
