import Testing

@testable import NetworkHealthExporter

@Suite struct ReportSampleTests {
    @Test func `a sample counts measurements, and its median is that of all of them`() {
        #expect(ReportSample([]) == nil)
        let one = ReportSample([.init(value: 3)])
        #expect(one?.median == 3 && one?.tenth == 3 && one?.count == 1)
        let even = ReportSample([4, 1, 3, 2].map { .init(value: $0) })
        #expect(even?.median == 2.5 && even?.lowest == 1 && even?.highest == 4)
        let weighted = ReportSample([.init(value: 1, count: 1), .init(value: 9, count: 3)])
        #expect(weighted?.median == 9 && weighted?.count == 4)
        let halves = ReportSample([.init(value: 1, count: 2), .init(value: 9, count: 2)])
        #expect(halves?.median == 5)
        #expect(ReportSample((1...20).map { .init(value: Double($0)) })?.tenth == 2)
    }

    @Test func `ranks tell groups apart, and not those that are equal`() {
        #expect(RankSum.score([], [1]) == 0 && RankSum.score([1, 1], [1, 1]) == 0)
        let low = (0..<10).map(Double.init)
        let high = low.map { $0 + 100 }
        #expect(RankSum.score(high, low) > 3.7 && RankSum.score(low, high) < -3.7)
        #expect(abs(RankSum.score(low, low)) < 1e-9)
    }
}
