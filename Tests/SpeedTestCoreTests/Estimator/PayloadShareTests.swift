import Testing

@testable import SpeedTestCore

struct PayloadShareTests {
    @Test func `it is that of the request and moment at which the least was missing`() {
        var share = PayloadShare()
        share.add(delivered: 900_000, segments: 1_000_000)
        share.add(delivered: 1_089_000, segments: 1_100_000)
        share.add(delivered: 1_000_000, segments: 1_200_000)
        #expect(share.value() == 0.99 && share.isSound)
    }

    @Test func `segments that arrived twice are taken off`() {
        var share = PayloadShare()
        share.add(delivered: 1_000_000, segments: 1_000_000, segmentSize: 1000)
        #expect(share.value(duplicates: 30, of: 1_000_000) == 0.97)
        // Those of other programs, too.
        #expect(share.value(duplicates: 7000, of: 1_000_000) == 0.5)
        #expect(share.value(duplicates: 30) == 1)
    }

    @Test func `requests of few segments count only where there are no others`() {
        var share = PayloadShare()
        share.add(delivered: 30_000, segments: 40_000)
        #expect(share.value() == 0.75)
        share.add(delivered: 65_000, segments: 100_000)
        #expect(share.value() == 0.65)
    }

    @Test func `segments that were joined before they were counted are no measure, and never again`() {
        var share = PayloadShare()
        share.add(delivered: 20_000, segments: 20_000)
        #expect(share.isSound)
        share.add(delivered: 19_160_015, segments: 417 * 1348)
        share.add(delivered: 20_000, segments: 20_000)
        #expect(!share.isSound)
    }

    @Test func `a body without a segment is one that the kernel does not count`() {
        var share = PayloadShare()
        share.add(delivered: 0, segments: nil)
        share.add(delivered: 0, segments: 0)
        #expect(share.isSound)
        share.add(delivered: 1, segments: nil)
        #expect(!share.isSound)
    }
}
