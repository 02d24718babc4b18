import Coordination
import HTTPTransfer
import Statistics
import Testing

@testable import SpeedTestCore

/// Whose count the rate of a measured upload is, and what has limited it.
struct LoadReportTests {
    private struct NoNetworking: AnsweringNetworking {}

    /// An upload of which the server has counted 0.9 MB a second.
    private func upload() throws -> LoadRun {
        let url = "http://server.invalid"
        let measurement = try HTTPMeasurement(
            SpeedTestServer(name: "test", dialect: .speedlab, url: url),
            SpeedTestOptions(),
            account: TrafficAccount(),
            transport: CustomTransport(networking: NoNetworking())
        )
        let dialect = SpeedlabDialect(base: try #require(WebURL(url)))
        let run = LoadRun(.upload, dialect, measurement, idle: nil, wall: .now)
        let none = LoadSample(time: .zero, bytes: 0)
        let counts: [ServerCount] = try (0...50).map { tick in
            let json = #"{"bytes":\#(tick * 90_000),"lastByteAt":\#(10 + Double(tick) / 10)}"#
            return try #require(ServerCount(Array(json.utf8), beyondHoles: none, written: .max))
        }
        run.counts.withLock { $0 = counts }
        return run
    }

    /// A window of five seconds in which 1 MB a second was acknowledged, less what failed requests had moved.
    private func outcome(_ ending: LoadPlan.Ending = .measured, losing bytes: UInt64 = 0) -> LoadRun.Outcome {
        var plan = LoadPlan(share: nil, length: .seconds(5) ... .seconds(10))
        for tick in 1...65 {
            let sample = LoadSample(time: .milliseconds(tick * 100), bytes: UInt64(tick) * 100_000)
            _ = plan.take(sample, isExhausted: false, isProbed: true)
        }
        var lost = LostBytes()
        lost.add([], total: bytes)
        plan.remove(lost)
        return LoadRun.Outcome(plan: plan, ending: .success(ending))
    }

    @Test func `an upload is what the server has counted, unless it has counted failed requests too`() throws {
        let run = try upload()
        let counted = try run.report(outcome())
        #expect(counted.accounting == .receiver && abs(counted.rate.bytesPerSecond - 900_000) < 1)
        #expect(abs(Double(counted.bytes) / counted.window.seconds - 900_000) < 1)
        #expect(counted.limits.isEmpty)
        let own = try run.report(outcome(losing: 300_000))
        #expect(own.accounting == .acknowledged && abs(own.rate.bytesPerSecond - 1_000_000) < 1)
        #expect(own.limits == [.server])
    }

    @Test func `a load that has lost a stream is limited by the server, and has the number of the others`() throws {
        let run = try upload()
        for _ in 0..<6 { run.load.streamBegan() }
        let whole = try run.report(outcome())
        #expect(whole.streams == 6 && whole.limits.isEmpty)
        run.load.streamFailed(SpeedTestFailure(.reset, "closed"))
        let report = try run.report(outcome(.dataCap))
        #expect(report.streams == 5 && report.limits == [.server, .dataCap])
    }
}
