import Testing

@testable import SpeedTestCore

struct PayloadShareTests {
    @Test func `it is that of the moment at which the least is missing`() {
        var share = PayloadShare()
        #expect(share.value == nil && !share.isSound)
        share.add(delivered: 900_000, segments: 1_000_000)
        share.add(delivered: 1_089_000, segments: 1_100_000)
        share.add(delivered: 1_000_000, segments: 1_200_000)
        #expect(share.value == 0.99 && share.isSound && share.arrived == 0.99 * 1_200_000)
    }

    @Test func `repetitions that come later lower it, after two generations of half as many segments more`() {
        var share = PayloadShare()
        share.add(delivered: 1_000_000, segments: 1_000_000)
        for segments in stride(from: 1_100_000 as UInt64, through: 3_000_000, by: 100_000) {
            share.add(delivered: segments * 95 / 100, segments: segments)
        }
        #expect(share.value == 0.95)
    }

    @Test func `segments that were joined before they were counted are no measure`() {
        var share = PayloadShare()
        share.add(delivered: 20_000, segments: 20_000)
        #expect(share.isSound)
        share.add(delivered: 19_160_015, segments: 417 * 1348)
        #expect(!share.isSound)
    }

    @Test func `mostly empty segments are no measure`() {
        var share = PayloadShare()
        share.add(delivered: 600, segments: 1000)
        #expect(!share.isSound)
    }
}
