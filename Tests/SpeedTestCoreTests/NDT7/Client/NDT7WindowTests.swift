import Foundation
import Testing

@testable import SpeedTestCore

struct NDT7WindowTests {
    /// Feeds a rate in bytes a second at each moment, ten samples a second, until it is enough.
    private static func run(
        _ window: inout NDT7Window,
        seconds: Double = 20,
        _ rate: (Double) -> Double
    ) -> (verdict: NDT7Window.Verdict, time: Double) {
        var bytes = 0.0
        for step in 1...Int(seconds * 10) {
            let time = Double(step) / 10
            bytes += rate(time) / 10
            let verdict = window.add(.init(time: .seconds(time), bytes: UInt64(bytes)))
            if verdict != .goOn { return (verdict, time) }
        }
        return (.goOn, seconds)
    }

    private static func window(_ length: ClosedRange<Double> = 3...10, limit: UInt64? = nil) -> NDT7Window {
        let range = Duration.seconds(length.lowerBound) ... .seconds(length.upperBound)
        return NDT7Window(length: range, byteLimit: limit, timing: NDT7Timing())
    }

    private static func rate(_ window: NDT7Window) -> Double {
        window.mean?.bytesPerSecond ?? -1
    }

    @Test func `a stall is not at an edge of the window`() {
        var window = Self.window(3...6)
        // Nothing from 1.35 s to 1.75 s and from 7.15 s on, what came meanwhile at once thereafter.
        for step in 1...79 {
            let time = Double(step) / 10
            let counted = (1.35..<1.75).contains(time) ? 1.3 : min(time, 7.1)
            _ = window.add(.init(time: .seconds(time), bytes: UInt64(counted * 1_000_000)))
        }
        #expect(abs(Self.rate(window) - 1_000_000) < 1000)
    }

    @Test func `a steady rate is measured from 1.5 s on, and certain three seconds later`() throws {
        var window = Self.window()
        let (verdict, time) = Self.run(&window) { _ in 1_000_000 }
        #expect(verdict == .stable)
        #expect(try #require(window.begin).time == .milliseconds(1500))
        #expect(abs(time - 4.5) < 0.11)
        #expect(abs(Self.rate(window) - 1_000_000) < 1000)
        #expect(abs(window.currentRate - 1_000_000) < 1000)
    }

    @Test func `the warm-up lasts as long as the rate grows, and is left out`() throws {
        var window = Self.window()
        let (verdict, _) = Self.run(&window) { time in time < 2.5 ? 400_000 * time : 1_000_000 }
        #expect(verdict == .stable)
        #expect(try #require(window.begin).time >= .seconds(2.5))
        #expect(abs(Self.rate(window) - 1_000_000) < 20_000)
    }

    @Test func `a rate that never settles is measured from 4 s on, for as long as is allowed`() throws {
        var window = Self.window()
        let (verdict, time) = Self.run(&window) { time in 100_000 * pow(1.5, time) }
        #expect(verdict == .full)
        #expect(try #require(window.begin).time <= .seconds(4))
        #expect(time <= 14)
        #expect(window.mean?.uncertainty ?? 1 > WindowRule.aim)
    }

    @Test func `of a byte limit the warm-up takes a third at most`() throws {
        var window = Self.window(limit: 250_000_000)
        _ = Self.run(&window, seconds: 2) { _ in 125_000_000 }
        #expect(try #require(window.begin).time == .milliseconds(700))
    }

    @Test func `a count that does not grow is not stable, and has a rate of zero`() {
        var window = Self.window()
        let (verdict, _) = Self.run(&window, seconds: 9) { _ in 0 }
        #expect(verdict == .goOn)
        #expect(Self.rate(window) == 0)
    }

    @Test func `falling counts and equal times are ignored`() {
        var window = Self.window()
        _ = window.add(.init(time: .seconds(1), bytes: 100))
        _ = window.add(.init(time: .seconds(1), bytes: 200))
        _ = window.add(.init(time: .seconds(2), bytes: 50))
        #expect(window.end == .init(time: .seconds(1), bytes: 100))
    }
}
