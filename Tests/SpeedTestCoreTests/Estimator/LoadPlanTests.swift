import Statistics
import Testing

@testable import SpeedTestCore

struct LoadPlanTests {
    @Test(arguments: [250_000.0, 1.25e6, 6.25e6, 12.5e6, 125e6])
    func `slow start does not count`(rate: Double) throws {
        let line = SyntheticLine { seconds, _ in rate * min(1, seconds) }
        let (plan, ending, _) = line.run()
        let window = try #require(plan.window)
        #expect(abs(try #require(window.mean).bytesPerSecond / rate - 1) < 0.001)
        #expect(ending == .measured && window.isSettled && window.duration == .seconds(3))
        #expect(window.start.time >= .milliseconds(1500))
    }

    @Test func `a steady line of 100 Mbit per second costs less than 100 MB`() {
        let (plan, _, seconds) = SyntheticLine { seconds, _ in 12.5e6 * min(1, seconds / 0.4) }.run()
        #expect(plan.window.map { $0.end.bytes < 90_000_000 } == true)
        #expect(seconds < 9)
    }

    @Test func `a line that never settles is measured for the maximum window, and has its mean`() throws {
        let (plan, ending, _) = SyntheticLine { seconds, _ in seconds.truncatingRemainder(dividingBy: 4) < 2 ? 2e6 : 1e6
        }
        .run()
        let window = try #require(plan.window)
        #expect(ending == .measured && !window.isSettled && window.duration == .seconds(10))
        #expect(abs(try #require(window.mean).bytesPerSecond / 1.5e6 - 1) < 0.15)
    }

    @Test func `a window continues until the latency under load is known, up to its maximum`() {
        func duration(probed: Double) -> Duration? {
            SyntheticLine(probed: probed) { _, _ in 1e6 }.run().plan.window?.duration
        }
        #expect(duration(probed: 1) == .seconds(3))
        #expect(duration(probed: 6) == .milliseconds(4500))
        #expect(duration(probed: 60) == .seconds(10))
    }

    /// The length of the window on a line that has 1 MB/s more and less a share, each for two seconds, with a thread that was busy
    /// for so many seconds until each moment.
    private static func stretched(
        swing: Double = 0.2,
        probed: Double = 0,
        busy: @escaping (Double) -> Double
    ) -> Duration? {
        var line = SyntheticLine(window: .seconds(5) ... .seconds(25), probed: probed) { seconds, _ in
            1e6 * (1 + (seconds.truncatingRemainder(dividingBy: 4) < 2 ? swing : -swing))
        }
        line.host = { HostCounters(time: .seconds($0), busy: .seconds(busy($0))) }
        return line.run().plan.window?.duration
    }

    @Test func `a window that the processor limits ends at twice its minimum instead of being stretched`() {
        #expect(Self.stretched { $0 * 0.91 } == .seconds(10))
        #expect(Self.stretched { $0 * 0.89 } == .seconds(25))
        #expect(Self.stretched(swing: 0) { $0 * 0.91 } == .seconds(5), "certain before")
        #expect(Self.stretched(probed: 18) { $0 * 0.91 } ?? .zero > .seconds(13), "the latency is not known before")
    }

    @Test func `a short moment of a busy processor does not end a window that becomes certain`() throws {
        let calm = try #require(Self.stretched(swing: 0.04) { _ in 0 })
        #expect(calm > .seconds(10) && calm < .seconds(25))
        #expect(Self.stretched(swing: 0.04) { min(max(0, $0 - 8), 5) } == calm, "from 8 s to 13 s")
        #expect(Self.stretched(swing: 0.04) { min($0, 12) } == .seconds(10), "all of the first 10 s")
    }

    @Test func `streams are added while they raise the rate`() {
        let (grown, _, _) = SyntheticLine { seconds, streams in min(1, seconds) * Double(streams) * 2e6 }.run()
        #expect(grown.streams > 8 && grown.streams <= 16)
        let (steady, _, _) = SyntheticLine { _, _ in 50e6 }.run()
        #expect(steady.streams == StreamRamp.initial)
        let (slow, _, _) = SyntheticLine { seconds, _ in 250_000 * min(1, seconds / 2) }.run()
        #expect(slow.streams == StreamRamp.initial, "a slow line gains nothing from more")
    }

    @Test func `the warm-up waits for streams that were just added`() throws {
        // Two more streams at one second, after which the rate stays.
        let (plan, _, _) = SyntheticLine { seconds, _ in seconds <= 0.55 ? 10e6 : 20e6 }.run()
        #expect(plan.streams == 6)
        #expect(try #require(plan.window).start.time == .seconds(2))
    }

    @Test func `the warm-up takes a third of the bytes at most, and a gigabit gets its second`() throws {
        let share: UInt64 = 250_000_000
        let (plan, ending, _) = SyntheticLine(share: share) { seconds, _ in 125e6 * min(1, seconds / 0.3) }.run()
        let window = try #require(plan.window)
        #expect(ending == .dataCap)
        #expect(window.start.bytes < share / 3 + 13_000_000)
        #expect(window.duration >= .seconds(1))
        #expect(
            WindowRule.isUsable(window.duration, ending: .dataCap, shortest: .seconds(3), roundTrip: .milliseconds(20))
        )
    }

    @Test func `no byte for five seconds is a stall, ten at the start`() {
        #expect(SyntheticLine { _, _ in 0 }.run() == (.stalled, 10))
        let (_, ending, seconds) = SyntheticLine { seconds, _ in seconds < 3.05 ? 1e6 : 0 }.run()
        #expect(ending == .stalled && abs(seconds - 8) < 0.11)
        // Unstable until the end, of which the last three seconds are silence.
        let (dying, end, _) = SyntheticLine { seconds, _ in
            seconds > 9 ? 0 : seconds.truncatingRemainder(dividingBy: 4) < 2 ? 2e6 : 1e6
        }.run()
        #expect(end == .stalled && dying.window?.bytes ?? 0 > 0)
    }

    @Test func `samples come sooner where little is left of the share`() {
        let window = Duration.seconds(3) ... .seconds(10)
        #expect(LoadPlan(share: nil, length: window).interval(bytesPerSecond: 1e9) == .milliseconds(100))
        let limited = LoadPlan(share: 250_000_000, length: window)
        #expect(limited.interval(bytesPerSecond: nil) == .milliseconds(10))
        #expect(limited.interval(bytesPerSecond: 1e6) == .milliseconds(100))
        #expect(limited.interval(bytesPerSecond: 3e9) == .milliseconds(5))
        #expect(LoadPlan(share: 0, length: window).interval(bytesPerSecond: 1e9) == .milliseconds(5))
    }

    @Test func `a window counts when it is long enough for how it ended`() {
        func isUsable(_ window: Duration, _ ending: LoadPlan.Ending, _ roundTrip: Duration? = .milliseconds(20)) -> Bool
        {
            WindowRule.isUsable(window, ending: ending, shortest: .seconds(3), roundTrip: roundTrip)
        }
        #expect(isUsable(.seconds(2), .measured) && !isUsable(.milliseconds(1900), .measured))
        #expect(isUsable(.seconds(1), .dataCap, nil) && !isUsable(.milliseconds(900), .dataCap, nil))
        #expect(isUsable(.milliseconds(400), .dataCap) && !isUsable(.milliseconds(399), .dataCap))
        #expect(isUsable(.milliseconds(20), .dataCap, .zero) && !isUsable(.milliseconds(19), .dataCap, .zero))
        #expect(!isUsable(.seconds(9), .stalled))
    }
}

private func == (
    run: (plan: LoadPlan, ending: LoadPlan.Ending?, seconds: Double),
    expected: (LoadPlan.Ending, Double)
) -> Bool {
    run.ending == expected.0 && abs(run.seconds - expected.1) < 0.11
}
