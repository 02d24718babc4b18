import Coordination
import Lab
import Statistics
import Testing

@testable import NetworkHealth
@testable import NetworkHealthExporter
@testable import NetworkPath
@testable import Probing

/// What no event reports reaches the state and the answers.
@Suite(.timeLimit(.minutes(3))) struct RequirementServiceTests {
    private func receive(_ bytes: UInt64, at second: Int, _ fixture: CollectorFixture) {
        var counters = DeviceCounters()
        // The other direction is none of it.
        (counters.receivedBytes, counters.transmittedBytes) = (bytes, bytes * 100)
        fixture.path.devices.withLock { [counters] in ($0.counters, $0.at) = (["eth0": counters], .seconds(second)) }
    }

    @Test func `the latency, the rate that the device receives, and how long a speed counts are read again and again`()
        async throws
    {
        let fixture = try await CollectorFixture.opened()
        fixture.goOnline()
        var report = PassiveReport(at: .now)
        report.medianRTT = .milliseconds(400)
        for _ in 0..<3 { fixture.internet.passive.take(report, [.milliseconds(400)]) }
        receive(0, at: 0, fixture)
        let run = Task { try await fixture.requirements.run() }
        defer { run.cancel() }
        func evidence() -> QualityEvidence? { fixture.health.current?.evidence }
        try await eventually("the first reading") { evidence()?.maxAge != nil }
        #expect(evidence()?.maxAge == fixture.speedTests.board.read(\.staleAfter))
        #expect(evidence()?.impairments == [.latency] && evidence()?.carried == nil)
        let evaluator = fixture.requirements.evaluator
        try await eventually("the latency") { evaluator.verdict(.named("call")).reasons.contains(.latencyAbove) }

        receive(1_250_000, at: 10, fixture)
        var configuration = fixture.context.configuration
        configuration.requirements.staleAfter = .seconds(7200)
        fixture.requirements.apply(configuration)
        try await eventually("the next reading") { evidence()?.maxAge == .seconds(7200) }
        // A megabit per second is moderate.
        #expect(evidence()?.carried == 1e6)
    }
}
