import Statistics
import Testing

@testable import Probing

struct TargetStatisticsTests {
    @Test func `the last 100 probes count, and the counters keep all`() {
        var statistics = TargetStatistics(measuresRoundTrip: true)
        for _ in 0..<50 { statistics.count(ProbeResult(failure: .timeout), at: .now) }
        var answer = ProbeResult()
        answer.rtt = .milliseconds(10)
        for _ in 0..<99 { statistics.count(answer, at: .now) }
        #expect(statistics.lastProbes.count == 100 && statistics.lastProbes.lossRatio == 0.01)
        statistics.count(answer, at: .now)
        #expect(statistics.lastProbes.count == 100 && statistics.lastProbes.lossRatio == 0)
        #expect(statistics.probes == 150 && statistics.failures == [.timeout: 50])
    }
}
