import Testing

@testable import SpeedTestCore

struct SteadyWindowTests {
    private func window(_ rates: [Double], length: ClosedRange<Duration> = .seconds(3) ... .seconds(10)) -> SteadyWindow
    {
        var window = SteadyWindow(start: LoadSample(time: .zero, bytes: 0), length: length)
        var bytes = 0.0
        for (index, rate) in rates.enumerated() {
            bytes += rate / 10
            window.add(LoadSample(time: .milliseconds((index + 1) * 100), bytes: UInt64(bytes)))
        }
        return window
    }

    @Test func `it is settled when it is long enough and its mean is known to one in a hundred`() {
        #expect(window(Array(repeating: 1e6, count: 30)).isSettled)
        #expect(!window(Array(repeating: 1e6, count: 29)).isSettled, "too short")
        #expect(!window(Array(repeating: 0, count: 40)).isSettled)
    }

    /// Seconds of 2 % more and less: by four of them the mean is known to 3.7 %, by ten to 1.5 %, by thirty to 0.8 %.
    @Test(arguments: [(30, 40, false), (30, 100, true), (70, 100, false), (70, 130, false), (70, 140, true)])
    func `from twice its minimum length on it is settled when the mean is as certain as a stable result needs it`(
        minimum: Int,
        count: Int,
        isSettled: Bool
    ) {
        let swinging = (0..<count).map { 1e6 * ($0 / 10 % 2 == 0 ? 1.02 : 0.98) }
        let length = Duration.milliseconds(minimum * 100) ... .seconds(60)
        #expect(window(swinging, length: length).isSettled == isSettled)
        let more = (0..<count).map { 1e6 * ($0 / 10 % 2 == 0 ? 1.08 : 0.92) }
        #expect(!window(more, length: length).isSettled, "known to 4 % at best")
    }

    @Test func `the rate is the mean over true times, and bytes taken back are no negative rate`() throws {
        var window = SteadyWindow(
            start: LoadSample(time: .seconds(1), bytes: 500),
            length: .seconds(3) ... .seconds(10)
        )
        window.add(LoadSample(time: .milliseconds(1723), bytes: 2500))
        #expect(abs(try #require(window.mean).bytesPerSecond - 2000 / 0.723) < 0.01)
        window.add(LoadSample(time: .milliseconds(2600), bytes: 100))
        #expect(window.mean?.bytesPerSecond == 0 && window.bytes == 0)
    }
}
