import Probing
import Testing

@testable import NetworkHealthExporter

@Suite("History: minutes") struct MinuteAggregatorTests {
    private func sample(_ milliseconds: Int, jitter: Int? = nil, loss: Double? = nil) -> NetworkLatency {
        NetworkLatency(
            latency: .milliseconds(milliseconds),
            jitter: jitter.map { .milliseconds($0) },
            lossRatio: loss
        )
    }

    /// The rows that come of samples and their times, the minute under way included.
    private func rows(_ samples: [(NetworkLatency?, Double)]) -> [MinuteLatency] {
        var minutes = MinuteAggregator()
        var rows: [MinuteLatency] = []
        for (sample, time) in samples {
            if let row = minutes.add(sample, at: time) { rows.append(row) }
        }
        if let row = minutes.end() { rows.append(row) }
        if let row = minutes.end() { rows.append(row) }
        return rows
    }

    @Test func `a minute is told when the next one begins, by its median and its 95th percentile`() {
        let values = [10, 40, 20, 30].enumerated().map { (sample($0.element), 120 + Double($0.offset) * 15) }
        #expect(
            rows(values + [(sample(99), 179.999), (sample(1), 180)]) == [
                MinuteLatency(at: 120, p50: 0.03, p95: 0.099), MinuteLatency(at: 180, p50: 0.001, p95: 0.001),
            ]
        )
        var minutes = MinuteAggregator()
        let early = minutes.add(sample(1), at: 59.9)
        let due = minutes.add(sample(1), at: 60)
        #expect(early == nil && due?.at == 0)
    }

    @Test func `of 20 values the second highest is the 95th percentile, and an even number has a middle`() {
        let values = (1...20).map { (sample($0 * 100), Double($0)) }
        #expect(rows(values) == [MinuteLatency(at: 0, p50: 1.05, p95: 1.9)])
    }

    @Test func `the last jitter and loss that were known stand`() {
        let samples = [(sample(10, jitter: 1, loss: 0.5), 0.0), (sample(10, jitter: 2, loss: 0), 5), (sample(10), 10)]
        #expect(
            rows(samples + [(nil, 15)]) == [MinuteLatency(at: 0, p50: 0.01, p95: 0.01, jitter: 0.002, loss: 0)]
        )
    }

    @Test func `a minute without a sample has no row, and ends the one before`() {
        #expect(rows([(nil, 0), (NetworkLatency(), 30), (sample(10), 60), (nil, 120), (nil, 180)]).map(\.at) == [60])
        var minutes = MinuteAggregator()
        let early = minutes.add(sample(1), at: 0)
        let due = minutes.add(nil, at: 60)
        #expect(early == nil && due?.at == 0)
    }

    @Test func `loss alone is something`() {
        #expect(rows([(NetworkLatency(lossRatio: 1), 0)]) == [MinuteLatency(at: 0, loss: 1)])
    }

    @Test func `a clock that is set back begins another row`() {
        #expect(rows([(sample(10), 600), (sample(20), -1)]).map(\.at) == [600, -60])
    }
}
