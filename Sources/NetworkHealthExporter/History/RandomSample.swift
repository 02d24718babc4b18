/// A random sample of bounded size, in which each value is equally likely to be kept (reservoir sampling).
struct RandomSample: Sendable {
    /// It changes a percentile by about one in a hundred of its rank.
    static let limit = 4096

    private(set) var values: [Double] = []
    /// How many there were.
    private var count = 0

    mutating func add(_ value: Double) {
        count += 1
        if values.count < Self.limit { return values.append(value) }
        let place = Int.random(in: 0..<count)
        if place < values.count { values[place] = value }
    }
}
