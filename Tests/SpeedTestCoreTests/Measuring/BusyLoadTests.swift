import HTTPTransfer
import Posix
import Testing

@testable import SpeedTestCore

struct BusyLoadTests {
    /// Moves bytes on a thread that never sleeps, at a rate that grows all the time: no mean of it is certain.
    private struct BusyTransport: SpeedTestTransport {
        private let start = ContinuousClock.now
        private var elapsed: Duration { start.duration(to: .now) }

        var traffic: CarriedBytes? { nil }
        var threadTime: ThreadClock.Reading? { .init(ran: elapsed, waited: .zero) }
        var serverAddress: IPAddress? { nil }

        func stop() {}

        func ask(_ request: SpeedTestRequest, onNewConnection: Bool) async throws(SpeedTestFailure)
            -> SpeedTestResponse
        { SpeedTestResponse(status: 200, latency: .milliseconds(1)) }

        func carry(
            _ request: SpeedTestRequest,
            _ direction: Direction,
            bytes: UInt64,
            meter: TransferMeter
        ) async throws(SpeedTestFailure) -> SpeedTestResponse {
            while !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(10))
                let seconds = elapsed / .seconds(1)
                _ = meter.receive(Int(1000 * (1 + seconds * seconds)))
            }
            throw SpeedTestFailure(.cancelled, "cancelled")
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func `a load that the thread limits is marked, and not stretched to its maximum`() async throws {
        var options = SpeedTestOptions()
        options.window = .milliseconds(500) ... .seconds(20)
        let measurement = try HTTPMeasurement(
            SpeedTestServer(name: "test", dialect: .cloudflare, url: "http://fake.invalid"),
            options,
            account: TrafficAccount(),
            transport: BusyTransport()
        )
        let report = try await measurement.measure(.download, idle: nil) { _ in }
        #expect(report.limits == [.cpu] && !report.isStable)
        // Half of the maximum; when exactly it ends, LoadPlanTests say with their own clock.
        #expect(report.window < .seconds(10), "\(report.window)")
    }
}
