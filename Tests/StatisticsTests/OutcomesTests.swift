import Statistics
import Testing

struct OutcomesTests {
    private static func outcomes(_ list: [Int?]) -> Outcomes { Outcomes(list.map { $0.map { .milliseconds($0) } }) }

    @Test func `The statistics of no outcomes are nil, not 0`() {
        let none = Outcomes()
        #expect(none.count == 0)
        #expect(none.lossRatio == nil)
        #expect(none.median == nil)
        #expect(none.jitter == nil)
    }

    @Test func `losses alone are a loss ratio without a latency`() {
        let losses = Self.outcomes([nil, nil])
        #expect(losses.lossRatio == 1)
        #expect(losses.median == nil)
        #expect(losses.jitter == nil)
    }

    @Test func `jitter is the mean difference of neighbours, losses between them left out`() {
        #expect(Self.outcomes([10]).jitter == nil)
        #expect(Self.outcomes([10, 10]).jitter == .zero)
        #expect(Self.outcomes([10, 14, 12]).jitter == .milliseconds(3))
        #expect(Self.outcomes([10, nil, nil, 14, nil, 12, nil]).jitter == .milliseconds(3))
    }

    @Test(arguments: [([], nil), ([7], 7), ([2, 1], 2), ([1, 2, 3], 3), ([4, 3, 2, 1], 3), (Array(1...8), 6)])
    func `the upper quartile is the smallest value that three quarters do not exceed`(values: [Int], expected: Int?) {
        #expect(values.upperQuartile == expected)
    }

    @Test(arguments: [([], nil), ([7], 7), ([3, 1, 2], 2), ([9, 1, 4, 2], 3)] as [([Double], Double?)])
    func `the median of an even number of values is the mean of the middle two`(values: [Double], expected: Double?) {
        #expect(values.median == expected)
    }

    @Test func `The median is of what was not lost`() {
        let outcomes = Self.outcomes([nil, 1, 100, 3, nil, 4])
        #expect(outcomes.median == .microseconds(3500))
        #expect(outcomes.lossRatio == 2.0 / 6)
        #expect(Self.outcomes([5, 1, 3]).median == .milliseconds(3))
    }
}
