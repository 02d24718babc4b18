import Lab
import Testing

@testable import SpeedTestCore

struct ByteAllowanceTests {
    @Test(arguments: 0..<20)
    func `the allowance is never exceeded`(seed: UInt64) {
        var random = SplitMix64(state: seed)
        let limit = UInt64.random(in: 1...500_000_000, using: &random)
        let allowance = ByteAllowance(limit: limit)
        var moved: UInt64 = 0
        while true {
            let taken = allowance.take(upTo: 1 << 30, streams: Int.random(in: 0...16, using: &random))
            guard taken > 0 else { break }
            let used = UInt64.random(in: 0...taken, using: &random)
            if Bool.random(using: &random) {
                allowance.giveBack(taken - used)
                moved += used
            } else {
                moved += taken
            }
        }
        #expect(moved <= limit)
        #expect(limit < 200_000 || moved > limit - max(65_536, limit / 64), "nearly all of it")
    }

    @Test func `requests shrink with the rest, and are as large as wanted without a limit`() {
        let allowance = ByteAllowance(limit: 80_000_000)
        let pieces = (0..<5).map { _ in allowance.take(upTo: 1 << 30, streams: 4) }
        #expect(pieces[0] == 10_000_000 && pieces == pieces.sorted(by: >))
        #expect(ByteAllowance(limit: nil).take(upTo: 123, streams: 4) == 123)
    }

    @Test func `small requests take their bytes until the allowance is used up`() {
        let allowance = ByteAllowance(limit: 5000)
        #expect(allowance.take(exactly: 2048) && allowance.take(exactly: 2048) && !allowance.take(exactly: 2048))
        #expect(ByteAllowance(limit: nil).take(exactly: .max))
    }
}
