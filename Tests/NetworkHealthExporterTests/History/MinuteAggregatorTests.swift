import Lab
import Probing
import Testing

@testable import NetworkHealthExporter

@Suite("History: minutes") struct MinuteAggregatorTests {
    /// Of one target, in milliseconds; nil: lost.
    private func samples(_ outcomes: Int?...) -> LatencySamples { samples(outcomes) }

    private func samples(_ outcomes: [Int?], showsLoss: Bool = true) -> LatencySamples {
        .probes(["here": outcomes.map { $0.map { .milliseconds($0) } }], packets: showsLoss ? ["here"] : [])
    }

    /// The rows that come of samples and their times, the minute under way included.
    private func rows(_ samples: [(LatencySamples?, Double)]) -> [LatencyRow] {
        var minutes = MinuteAggregator()
        var rows: [LatencyRow] = []
        for (samples, time) in samples {
            if let row = minutes.add(samples, at: time) { rows.append(row) }
        }
        if let row = minutes.end() { rows.append(row) }
        if let row = minutes.end() { rows.append(row) }
        return rows
    }

    @Test func `a minute is reported when the next one begins, by its median and its 95th percentile`() {
        let first = [(samples(10, 40), 120.0), (samples(20), 130.0), (samples(30), 140.0), (samples(99), 179.999)]
        let rows = rows(first + [(samples(1), 180.0)])
        #expect(rows.map(\.at) == [120, 180])
        #expect(rows.map(\.p50) == [0.03, 0.001] && rows.map(\.p95) == [0.099, 0.001])
        var minutes = MinuteAggregator()
        let early = minutes.add(samples(1), at: 59.9)
        let due = minutes.add(samples(1), at: 60)
        #expect(early == nil && due?.at == 0)
    }

    @Test func `of samples of a known distribution the percentiles, the jitter and the loss are theirs`() {
        // 600 in a minute, ten in a hundred slow: their rolling median is 1 ms throughout.
        let ten: [Int?] = [1, 1, 1, 1, nil, 1, 1, 1, 1, 159]
        let batch = samples(ten + ten + ten + ten + ten)
        let row = rows((0..<12).map { (batch, Double($0) * 5) }).first
        #expect(row?.p50 == 0.001 && row?.p95 == 0.159)
        #expect(row?.loss == 0.1)
        // Of 540 answers each slow one differs twice from its neighbours, the last one once.
        let jitter = 0.158 * 119 / 539
        #expect(row?.jitter.map { abs($0 - jitter) < 1e-9 } == true)
    }

    @Test func `of 20 values the second highest is the 95th percentile, and an even number has a middle`() {
        let row = rows([(samples((1...20).map { $0 * 100 }), 0)]).first
        #expect(row?.p50 == 1.05 && row?.p95 == 1.9)
    }

    @Test func `the jitter is that of each source, across readings and minutes`() {
        func samples(_ a: [Int], _ b: [Int]) -> LatencySamples {
            let ms: (Int) -> Duration? = { .milliseconds($0) }
            return .probes(["a": a.map(ms), "b": b.map(ms)], packets: ["a", "b"])
        }
        let readings = [(samples([10], [500]), 0.0), (samples([14], []), 5.0), (samples([], [502]), 60.0)]
        let rows = rows(readings)
        #expect(rows.map { $0.jitter.map { ($0 * 1000).rounded() } } == [4, 2])
    }

    @Test func `on another uplink, after a time of nothing, and after five minutes nothing is compared`() {
        let other = LatencySamples.probes(["here": [.milliseconds(60)]], restarted: ["here"])
        #expect(rows([(samples(10), 0), (other, 5)]).map(\.jitter) == [nil])
        #expect(rows([(samples(10), 0), (nil, 5), (samples(60), 10)]).map(\.jitter) == [nil])
        #expect(rows([(samples(10), 0), (.flows(median: .zero), 5), (samples(60), 10)]).map(\.jitter) == [nil])
        #expect(rows([(samples(10), 0), (samples(60), 301)]).map(\.jitter) == [nil, nil])
        #expect(rows([(samples(10), 600), (samples(60), 0)]).map(\.jitter) == [nil, nil])
        #expect(rows([(samples(10), 0), (samples(nil), 150), (samples(20), 300)]).last?.jitter == 0.01)
    }

    @Test func `of many samples so many are kept that the percentiles hold`() {
        var random = SplitMix64(state: 20_261_122)
        var minutes = MinuteAggregator()
        for batch in 0..<12 {
            let outcomes = (0..<10_000).map { _ in Int?.some(Int.random(in: 1...1000, using: &random)) }
            _ = minutes.add(samples(outcomes), at: Double(batch) * 5)
        }
        let row = minutes.end()
        // Of 4096 the median is off by 0.8 % of the rank, the 95th percentile by 0.35 %: six times that.
        #expect(row?.p50.map { abs($0 - 0.5) < 0.05 } == true)
        #expect(row?.p95.map { abs($0 - 0.95) < 0.021 } == true)
        #expect(row?.loss == 0)
    }

    @Test func `a minute without a sample has no row, and ends the one before`() {
        #expect(rows([(nil, 0), (samples(), 30), (samples(10), 60), (nil, 120), (nil, 180)]).map(\.at) == [60])
        var minutes = MinuteAggregator()
        let early = minutes.add(samples(1), at: 0)
        let due = minutes.add(nil, at: 60)
        #expect(early == nil && due?.at == 0)
    }

    @Test func `loss alone is something, and absent where a failure is no lost packet`() {
        #expect(rows([(samples(nil, nil), 0)]) == [LatencyRow(at: 0, loss: 1)])
        #expect(rows([(samples([10, nil], showsLoss: false), 0)]).first?.loss == nil)
    }

    @Test func `the loss is that of the sources whose failures are lost packets`() {
        let outcomes: [String: [Duration?]] = ["icmp": [nil, .zero, .zero, .zero], "tcp": [nil, nil]]
        #expect(rows([(.probes(outcomes, packets: ["icmp"]), 0)]).first?.loss == 0.25)
    }

    @Test func `of live flows the median is known and nothing else, and probes replace them`() {
        let flows = [LatencySamples.flows(median: .milliseconds(10)), .flows(median: .milliseconds(30))]
        #expect(rows([(flows[0], 0), (flows[1], 20)]) == [LatencyRow(at: 0, p50: 0.02)])
        let row = rows([(flows[0], 0), (samples(5), 20), (flows[1], 40)])
        #expect(row == [LatencyRow(at: 0, p50: 0.005, p95: 0.005, loss: 0)])
    }

    @Test func `a clock that is set back begins another row`() {
        #expect(rows([(samples(10), 600), (samples(20), -1)]).map(\.at) == [600, -60])
    }
}
