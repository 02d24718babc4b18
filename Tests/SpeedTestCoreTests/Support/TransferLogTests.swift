import SpeedTestCore
import Testing

/// The reference of the timing tests is itself compared with rates that are known.
struct TransferLogTests {
    /// 4 MB/s in pieces of 10 ms, but for a hundredth of it in the fourth second where that is stolen.
    private func log(isDisturbed: Bool) -> TransferLog {
        let log = TransferLog()
        for step in 0...600 {
            let isStolen = isDisturbed && (300..<400).contains(step)
            log.add(isStolen ? 400 : 40_000, .download, at: Double(step) / 100)
        }
        return log
    }

    @Test func `every span of a steady log has its rate, within the size of its pieces`() throws {
        let rates = try #require(log(isDisturbed: false).rates(.download, over: .seconds(1)))
        #expect(rates.lowerBound >= 0.98 * 4e6 && rates.upperBound <= 1.001 * 4e6)
    }

    @Test func `a second that was stolen is in the slowest span, and the fastest is as before`() throws {
        let rates = try #require(log(isDisturbed: true).rates(.download, over: .seconds(1)))
        #expect(rates.lowerBound < 0.05 * 4e6 && rates.upperBound >= 0.98 * 4e6 && rates.upperBound <= 1.001 * 4e6)
    }

    @Test func `a log that is shorter than the window has no result`() {
        #expect(log(isDisturbed: false).rates(.download, over: .seconds(7)) == nil)
        #expect(log(isDisturbed: false).rates(.upload, over: .seconds(1)) == nil)
    }
}
