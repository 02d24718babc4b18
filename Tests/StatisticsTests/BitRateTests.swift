import Statistics
import Testing

struct BitRateTests {
    @Test func `one rate in three units`() {
        #expect(BitRate(bytesPerSecond: 12_500_000) == .megabits(100))
        #expect(BitRate.megabits(0.5).bytesPerSecond == 62_500)
        #expect(BitRate(bitsPerSecond: 1e6).megabits == 1 && BitRate.megabits(1) < .megabits(2))
    }

    @Test(
        arguments: [
            (0, 0), (0.4, 0), (12_345.678, 12_346), (99_999.6, 100_000), (123_456, 123_460),
            (941_234_567.89, 941_230_000),
            (.infinity, .infinity),
        ] as [(Double, Double)]
    )
    func `five significant digits and no fraction of a bit`(bits: Double, rounded: Double) {
        #expect(BitRate(bitsPerSecond: bits).rounded.bitsPerSecond == rounded)
    }

    @Test func `a rounded rate survives its way through decimal megabits`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<10_000 {
            let rate = BitRate(bitsPerSecond: .random(in: 0...1e11, using: &random)).rounded
            #expect(BitRate.megabits(rate.megabits).rounded == rate)
        }
    }
}
