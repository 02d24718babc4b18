import Statistics
import Testing

struct OutcomeWindowTests {
    private static let start = OutcomeWindow.Instant.now

    private static func at(_ seconds: Double) -> OutcomeWindow.Instant { start + .seconds(seconds) }

    /// One outcome a second, in milliseconds.
    private static func window(_ outcomes: [Int?], capacity: Int = OutcomeWindow.defaultCapacity) -> OutcomeWindow {
        var window = OutcomeWindow(capacity: capacity)
        for (second, outcome) in outcomes.enumerated() {
            window.push(outcome.map { .milliseconds($0) }, at: at(Double(second)))
        }
        return window
    }

    private static func milliseconds(_ outcomes: Outcomes) -> [Int?] {
        outcomes.list.map { $0.map { Int($0 / .milliseconds(1)) } }
    }

    @Test func `An empty window has no outcome of any age`() {
        let window = OutcomeWindow()
        #expect(window.count == 0)
        #expect(window.newest() == Outcomes() && window.newest(5, since: Self.start) == Outcomes())
        #expect(window.lastValueAt == nil)
        #expect(window == OutcomeWindow())
    }

    @Test func `The newest are chosen by number, by age, or by both`() {
        let window = Self.window([10, nil, 12, 13, nil])
        #expect(Self.milliseconds(window.newest()) == [10, nil, 12, 13, nil])
        #expect(Self.milliseconds(window.newest(2)) == [13, nil])
        #expect(
            Self.milliseconds(window.newest(since: Self.at(1))) == [nil, 12, 13, nil],
            "that of this moment included"
        )
        #expect(Self.milliseconds(window.newest(since: Self.at(1.1))) == [12, 13, nil])
        #expect(Self.milliseconds(window.newest(2, since: Self.at(1))) == [13, nil])
        #expect(Self.milliseconds(window.newest(4, since: Self.at(3))) == [13, nil])
        #expect(Self.milliseconds(window.newest(since: Self.at(4.5))).isEmpty)
        #expect(Self.milliseconds(window.newest(since: Self.at(-1000))) == [10, nil, 12, 13, nil])
        #expect(window.newestValues(since: Self.at(1)) == [.milliseconds(12), .milliseconds(13)])
        #expect(window.lastValueAt == Self.at(3))
    }

    @Test func `losses are counted in a row, and nothing else`() {
        #expect(Self.window([10, nil, 12, nil, nil]).lossesInARow == 2)
        #expect(Self.window([nil, 12]).lossesInARow == 0)
        #expect(Self.window([nil, nil]).lastValueAt == nil)
    }

    @Test func `a time is left out, with the losses in a row before it`() {
        var window = Self.window([10, nil, 12, nil, nil, nil, 16, nil, 18])
        window.leaveOut(from: Self.at(5), to: Self.at(7), andLossesSince: Self.at(4))
        #expect(Self.milliseconds(window.newest()) == [10, nil, 12, nil, 18])
        #expect(Self.milliseconds(window.newest(3)) == [12, nil, 18])
        #expect(Self.milliseconds(window.newest(since: Self.at(3))) == [nil, 18])
        #expect(window.count == 5 && window.lossesInARow == 0)
        window.leaveOut(from: Self.at(8), to: nil, andLossesSince: Self.at(0))
        #expect(Self.milliseconds(window.newest()) == [10, nil, 12] && window.lossesInARow == 0)
        #expect(window.lastValueAt == Self.at(2))
    }

    @Test func `those added since then, and until a time, are counted with what is left out`() {
        var window = Self.window([10, 11, 12, 13], capacity: 3)
        window.leaveOut(from: Self.at(2), to: Self.at(2), andLossesSince: Self.at(2))
        #expect(window.added(after: 2, until: Self.at(3)) == ([.milliseconds(13)], 4))
        #expect(window.added(after: 0, until: Self.at(9)) == ([.milliseconds(11), .milliseconds(13)], 4))
        #expect(window.added(after: 0, until: Self.at(1)) == ([.milliseconds(11)], 2))
        #expect(window.added(after: 2, until: Self.at(1)) == ([], 2))
        #expect(window.added(after: 9, until: Self.at(9)) == ([], 4))
        #expect(OutcomeWindow().added(after: 0, until: Self.at(1)) == ([], 0))
    }

    @Test func `A value keeps its nanoseconds, and zero is no loss`() {
        var window = OutcomeWindow()
        for value in [Duration.zero, .nanoseconds(1), .seconds(86_400) + .nanoseconds(3)] {
            window.push(value, at: Self.start)
        }
        #expect(window.newest().list == [.zero, .nanoseconds(1), .seconds(86_400) + .nanoseconds(3)])
    }

    @Test func `The oldest outcome is dropped, a value or a loss`() {
        let window = Self.window([nil, 10, 20, 24, nil, 21], capacity: 4)
        #expect(window.count == 4 && window.pushes == 6)
        #expect(Self.milliseconds(window.newest()) == [20, 24, nil, 21])
        #expect(Self.milliseconds(Self.window([1, 2], capacity: 0).newest()) == [2])
        #expect(Self.window(Array(repeating: 7, count: 1000)).count == 300)
    }

    @Test func `The ring has the same outcomes as a list of all`() {
        var random = SystemRandomNumberGenerator()
        var all: [(outcome: Int?, at: Int)] = []
        var window = OutcomeWindow(capacity: 7)
        var time = 0
        for _ in 0..<500 {
            time += Int.random(in: 0...3, using: &random)
            let outcome = Bool.random(using: &random) ? Int.random(in: 0..<50, using: &random) : nil
            all.append((outcome, time))
            window.push(outcome.map { .milliseconds($0) }, at: Self.at(Double(time)))
            let (limit, since) = (Int.random(in: 0...9, using: &random), time - Int.random(in: 0...12, using: &random))
            let expected = all.suffix(7).filter { $0.at >= since }.suffix(limit).map(\.outcome)
            #expect(Self.milliseconds(window.newest(limit, since: Self.at(Double(since)))) == Array(expected))
            #expect(window.lastValueAt == all.suffix(7).last { $0.outcome != nil }.map { Self.at(Double($0.at)) })
        }
    }
}
