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

    @Test func `a window ends early only where one burst more would change little`() {
        func isOver(burst: UInt64) -> Bool {
            var window = SteadyWindow(start: LoadSample(time: .zero, bytes: 0), length: .seconds(3) ... .seconds(10))
            for tick in 1...60 {
                // In every bin one sample holds back what the next one brings.
                let held = tick % 5 == 4 ? burst : 0
                window.add(LoadSample(time: .milliseconds(tick * 100), bytes: UInt64(tick * 25_000) - held))
            }
            return window.isOver
        }
        #expect(isOver(burst: 0) && isOver(burst: 20_000))
        #expect(!isOver(burst: 70_000))
    }

    @Test func `the rate is the mean over true times, and bytes taken back are no negative rate`() {
        var window = SteadyWindow(
            start: LoadSample(time: .seconds(1), bytes: 500),
            length: .seconds(3) ... .seconds(10)
        )
        window.add(LoadSample(time: .milliseconds(1723), bytes: 2500))
        #expect(abs(window.bytesPerSecond - 2000 / 0.723) < 0.01)
        window.add(LoadSample(time: .seconds(2), bytes: 100))
        #expect(window.bytesPerSecond == 0 && window.bytes == 0)
    }
}
