import FoundationEssentials
import Statistics
import Testing

@testable import Probing

struct NetworkLatencyTests {
    /// A report whose window holds these round trips or durations in milliseconds; nil is a loss.
    private static func report(_ target: Target, _ outcomes: [Int?]) -> TargetReport {
        var report = TargetReport(target)
        for outcome in outcomes {
            let result = outcome.map { ProbeResult.success($0, rtt: $0) } ?? ProbeResult(failure: .timeout)
            report.statistics.count(result)
        }
        return report
    }

    @Test func `Without probes the latency is unknown`() {
        #expect(NetworkLatency([]) == nil)
        #expect(NetworkLatency([Self.report(.make("a"), [])]) == nil)
    }

    @Test func `is the median over the targets that are not the gateway`() throws {
        let latency = try #require(
            NetworkLatency([
                Self.report(.make("router", address: "_gateway"), [1, 1, 1]),
                Self.report(.make("a"), [10, 12]),
                Self.report(.make("b"), [20, 24]),
                Self.report(.make("c"), [200, nil, 300, nil]),
            ])
        )
        #expect(latency.latency == .milliseconds(22))
        #expect(latency.jitter == .milliseconds(4))
        #expect(latency.lossRatio == 0)
    }

    @Test func `The gateway alone does not count`() {
        #expect(NetworkLatency([Self.report(.make("router", address: "_gateway"), [1])]) == nil)
    }

    @Test func `A target without a success does not count`() throws {
        let latency = try #require(
            NetworkLatency([Self.report(.make("a"), [10, nil, 12, 14]), Self.report(.make("b"), [nil, nil])])
        )
        #expect(latency.latency == .milliseconds(12))
        #expect(latency.lossRatio == 0.25)
        #expect(NetworkLatency([Self.report(.make("b"), [nil])]) == nil)
    }

    @Test func `Packet loss counts targets that answer and have a full window`() {
        let full = (0..<100).map { $0 < 10 ? nil : 5 }
        #expect(NetworkLatency.packetLoss([Self.report(.make("a"), full)]) == 0.1)
        let others = [
            Self.report(.make("young"), Array(full.prefix(99))),
            Self.report(.make("dead"), [Int?](repeating: nil, count: 100)),
            Self.report(.make("router", address: "_gateway"), full),
            Self.report(.make("web", HTTPProbe()), full),
        ]
        #expect(NetworkLatency.packetLoss(others) == nil)
    }

    @Test func `Round trips are preferred to durations`() throws {
        let http = Self.report(.make("web", HTTPProbe()), [300, 340])
        let both = try #require(NetworkLatency([http, Self.report(.make("a"), [10])]))
        #expect(both.latency == .milliseconds(10))
        let durations = try #require(NetworkLatency([http]))
        #expect(durations.latency == .milliseconds(320) && durations.lossRatio == nil)
    }
}
