import Coordination
import Posix
import Statistics
import Testing

@testable import SpeedTestCore

/// A locate service names several servers: the first one may be gone when the load begins.
struct ReplacedServerTests {
    /// Measures with the first server, or moves on to the second one with the load.
    private struct LocatedMeasurement: DirectionMeasuring {
        let movesOn: Bool
        let hasMoved = Locked(false)

        var host: String { hasMoved.withLock { $0 } ? "second.test:443" : "first.test:443" }
        var serverAddress: IPAddress? { nil }

        func prepare() async throws(SpeedTestFailure) {}

        func idleLatency(
            progress: @Sendable (SpeedTestProgress) -> Void
        ) async throws(SpeedTestFailure) -> IdleLatency {
            IdleLatency(latency: .milliseconds(20), jitter: .milliseconds(1))
        }

        func measure(
            _ direction: Direction,
            idle: IdleLatency?,
            progress: @Sendable (SpeedTestProgress) -> Void
        ) async throws(SpeedTestFailure) -> DirectionReport {
            hasMoved.withLock { $0 = movesOn }
            return DirectionReport(rate: .megabits(50), bytes: 50_000_000, window: .seconds(8), uncertainty: 0.01)
        }
    }

    @Test(arguments: [false, true])
    func `a report has no latency of a server that another one has replaced`(movesOn: Bool) async {
        let server = SpeedTestServer(name: "located", dialect: .ndt7, url: "https://locate.test/v2/")
        var options = SpeedTestOptions()
        options.directions = [.download]
        let measurement = LocatedMeasurement(movesOn: movesOn)
        let report = await SpeedTestEngine(server, options, TrafficAccount()) { measurement }.run { _ in }
        #expect(report.failure == nil && report.download?.rate == .megabits(50))
        #expect(report.host == (movesOn ? "second.test:443" : "first.test:443"))
        #expect(report.ping?.latency == (movesOn ? nil : Duration.milliseconds(20)))
    }
}
