import Statistics
import Testing

struct SlidingWindowTests {
    private static func window(_ outcomes: [Int?], capacity: Int = 100) -> SlidingWindow {
        var window = SlidingWindow(capacity: capacity)
        for outcome in outcomes { window.push(outcome.map { .milliseconds($0) }) }
        return window
    }

    @Test func `The statistics of an empty window are nil, not 0`() {
        let window = SlidingWindow()
        #expect(window.count == 0)
        #expect(window.lossRatio == nil)
        #expect(window.median == nil)
        #expect(window.mean == nil)
        #expect(window.jitter == nil)
    }

    @Test func `losses alone are a loss ratio without a latency`() {
        let window = Self.window([nil, nil])
        #expect(window.lossRatio == 1)
        #expect(window.median == nil)
        #expect(window.mean == nil)
        #expect(window.jitter == nil)
    }

    @Test func `jitter is the mean difference of neighbours, losses between them left out`() {
        #expect(Self.window([10]).jitter == nil)
        #expect(Self.window([10, 10]).jitter == .zero)
        #expect(Self.window([10, 14, 12]).jitter == .milliseconds(3))
        #expect(Self.window([10, nil, nil, 14, nil, 12, nil]).jitter == .milliseconds(3))
    }

    @Test func `median and mean are of what was not lost`() {
        let window = Self.window([nil, 1, 100, 3, nil, 4])
        #expect(window.median == .microseconds(3500))
        #expect(window.mean == .milliseconds(27))
        #expect(window.lossRatio == 2.0 / 6)
        #expect(Self.window([5, 1, 3]).median == .milliseconds(3))
    }

    @Test func `The oldest outcome is dropped, a value or a loss`() {
        let window = Self.window([nil, 10, 20, 24, nil, 21], capacity: 4)
        #expect(window.count == 4)
        #expect(window.lossRatio == 0.25)
        #expect(window.jitter == .microseconds(3500))
        #expect(window.median == .milliseconds(21))
    }

    @Test func `a hundred outcomes are remembered by default`() {
        let window = Self.window(Array(repeating: nil, count: 100) + Array(repeating: 7, count: 99))
        #expect(window.count == 100)
        #expect(window.lossRatio == 0.01)
    }

    @Test func `The ring has the same statistics as the last outcomes`() {
        var random = SystemRandomNumberGenerator()
        var all: [Int?] = []
        var window = SlidingWindow(capacity: 7)
        for _ in 0..<500 {
            let outcome = Bool.random(using: &random) ? Int.random(in: 0..<50, using: &random) : nil
            all.append(outcome)
            window.push(outcome.map { .milliseconds($0) })
            let fresh = Self.window(all.suffix(7), capacity: 7)
            #expect(window.lossRatio == fresh.lossRatio)
            #expect(window.jitter == fresh.jitter)
            #expect(window.median == fresh.median)
        }
    }

    @Test func `A window of capacity 0 holds one outcome`() {
        #expect(Self.window([1, 2], capacity: 0).median == .milliseconds(2))
    }
}
