import Probing
import Testing

@testable import NetworkHealthExporter

struct LatencyMetricsTests {
    @Test func `latency and jitter are in seconds, and the loss is a ratio`() {
        let latency = NetworkLatency(latency: .milliseconds(20), jitter: .microseconds(2500), lossRatio: 0.3)
        #expect(
            printed(LatencyMetrics.network(latency)) == [
                "network_health_latency_seconds 0.02", "network_health_jitter_seconds 0.0025",
                "network_health_loss_ratio 0.3",
            ]
        )
    }

    @Test func `the jitter is the mean difference of the probes of a target, from ten on`() {
        var target = ProbedTarget()
        for _ in 0..<4 { target.probe(10, 13) }
        target.probe(10)
        #expect(samples(target) == ["network_health_latency_seconds 0.01"])
        target.probe(13)
        #expect(samples(target) == ["network_health_latency_seconds 0.0115", "network_health_jitter_seconds 0.003"])
    }

    @Test func `what is not known is absent`() {
        #expect(printed(LatencyMetrics.network(nil)) == [])
        #expect(printed(LatencyMetrics.network(NetworkLatency(lossRatio: 0))) == ["network_health_loss_ratio 0"])
    }

    private func samples(_ target: ProbedTarget) -> [String] {
        printed(LatencyMetrics.network(target.sources.latency(at: .now))).filter { !$0.contains("loss") }
    }
}
