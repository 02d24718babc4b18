import Testing

@testable import SpeedTestCore

struct SteadyWindowTests {
    private func window(_ rates: [Double]) -> SteadyWindow {
        var window = SteadyWindow(start: LoadSample(time: .zero, bytes: 0), length: .seconds(3) ... .seconds(10))
        var bytes = 0.0
        for (index, rate) in rates.enumerated() {
            bytes += rate / 2
            window.add(LoadSample(time: .milliseconds((index + 1) * 500), bytes: UInt64(bytes)))
        }
        return window
    }

    @Test func `a short window must be steadier than a long one`() {
        // Averages climb by 3 % a bin.
        let climbing = (0..<12).map { 1e6 * (1 + 0.03 * Double($0)) }
        #expect(!window(Array(climbing.prefix(7))).isStable)
        #expect(window(climbing).isStable)
        #expect(!window(Array(repeating: 1e6, count: 3)).isStable, "too few averages")
        #expect(window(Array(repeating: 1e6, count: 4)).isStable)
        #expect(!window(Array(repeating: 0, count: 8)).isStable)
    }

    @Test func `the rate is the mean over true times, and bytes taken back are no negative rate`() throws {
        var window = SteadyWindow(
            start: LoadSample(time: .seconds(1), bytes: 500),
            length: .seconds(3) ... .seconds(10)
        )
        window.add(LoadSample(time: .milliseconds(1723), bytes: 2500))
        #expect(abs(try #require(window.calm).bytesPerSecond - 2000 / 0.723) < 0.01)
        window.add(LoadSample(time: .milliseconds(2600), bytes: 100))
        #expect(window.calm?.bytesPerSecond == 0 && window.bytes == 0)
    }
}
