import Testing

@testable import SpeedTestCore

struct DailyBytesTests {
    private let start = ContinuousClock.now

    @Test func `a day begins with its first byte and lasts 24 hours`() {
        var day = DailyBytes()
        #expect(day.remaining(of: 100, at: start) == 100)
        day.add(30, at: start)
        let late = start + .seconds(86_399)
        #expect(day.remaining(of: 100, at: late) == 70)
        #expect(day.untilNextDay(at: late) == .seconds(1))
        day.add(80, at: late)
        #expect(day.remaining(of: 100, at: late) == 0)
        let next = start + .seconds(86_400)
        #expect(day.remaining(of: 100, at: next) == 100)
        #expect(day.untilNextDay(at: next) == .zero)
        day.add(1, at: next)
        #expect(day.remaining(of: 100, at: next + .seconds(86_399)) == 99)
    }

    @Test func `counts up to the maximum and never overflows`() {
        var day = DailyBytes()
        day.add(.max, at: start)
        day.add(.max, at: start)
        #expect(day.remaining(of: .max, at: start) == 0)
    }
}
