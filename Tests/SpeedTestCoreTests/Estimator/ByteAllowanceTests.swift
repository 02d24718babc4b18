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

    @Test func `a body goes on beyond its request while what is in flight still fits`() {
        let allowance = ByteAllowance(limit: 10_000_000)
        #expect(allowance.take(upTo: 1 << 30, streams: 4) == 1_250_000)
        // 4 MB arrive after the end.
        allowance.reserve(bytesPerSecond: 40_000_000, roundTrip: .milliseconds(100))
        #expect(allowance.take(more: 4_000_000) && allowance.take(more: 750_000) && !allowance.take(more: 1))
        #expect(allowance.take(exactly: 2048), "probes are in it")
        #expect(ByteAllowance(limit: nil).take(more: .max))
    }

    @Test(arguments: [nil, -1, .nan, .infinity] as [Double?])
    func `a rate that is no rate reserves nothing, or all`(rate: Double?) {
        let allowance = ByteAllowance(limit: 1000)
        allowance.reserve(bytesPerSecond: rate, roundTrip: .seconds(1))
        #expect(allowance.take(more: 1) == (rate != .infinity))
    }
}
