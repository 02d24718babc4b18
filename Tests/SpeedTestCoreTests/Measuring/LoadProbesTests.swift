import Coordination
import HTTPTransfer
import Lab
import Posix
import Testing

@testable import SpeedTestCore

struct LoadedProbesTests {
    @Test func `round trips a minute are the mean of both kinds, as the draft has it`() throws {
        var probes = LoadedProbes()
        probes.same = Array(repeating: .milliseconds(100), count: 8)
        probes.foreign = [.init(connect: .milliseconds(50), tls: nil, http: .milliseconds(150))]
        // 600 by either.
        #expect(abs(try #require(probes.responsiveness) - 600) < 0.001)
        probes.foreign[0].tls = .milliseconds(400)
        // A third of 50, 400 and 150 is 200 ms: 300.
        #expect(abs(try #require(probes.responsiveness) - 450) < 0.001)
        probes.foreign = []
        #expect(abs(try #require(probes.responsiveness) - 600) < 0.001)
    }

    @Test func `fewer than eight samples have no result`() {
        var probes = LoadedProbes()
        probes.same = Array(repeating: .milliseconds(100), count: 7)
        #expect(probes.latency == nil && probes.responsiveness == nil && !probes.hasEnded)
        // The load does not wait for what a server refuses.
        probes.failures = 1
        #expect(probes.latency == nil && probes.hasEnded)
    }

    @Test func `the worst twentieth is left out of the mean`() throws {
        var probes = LoadedProbes()
        probes.same = Array(repeating: .milliseconds(10), count: 19) + [.seconds(3)]
        #expect(abs(try #require(probes.responsiveness) - 6000) < 0.001)
    }

    @Test func `latency under load is the upper quartile, which a lost probe hardly moves`() {
        var probes = LoadedProbes()
        probes.same = [150, 160, 170, 180, 190, 200, 195, 185].map { .milliseconds($0) }
        #expect(probes.latency == .milliseconds(190))
        probes.same[0] = .seconds(3)
        #expect(probes.latency == .milliseconds(195))
    }
}

@Suite(.timeLimit(.minutes(3)))
struct LoadProbesTests {
    /// Answers on new connections only; the first requests on the open one are reset at once.
    private struct LosingTransport: SpeedTestTransport {
        let resets = Locked(3)

        var traffic: CarriedBytes? { nil }
        var threadTime: ThreadClock.Reading? { nil }
        var serverAddress: IPAddress? { nil }

        func stop() {}

        func ask(_ request: SpeedTestRequest, onNewConnection: Bool) async throws(SpeedTestFailure)
            -> SpeedTestResponse
        {
            guard onNewConnection else {
                let isReset = resets.withLock { left in
                    defer { left -= 1 }
                    return left > 0
                }
                throw isReset ? SpeedTestFailure(.reset, "reset") : SpeedTestFailure(.timeout, "no answer")
            }
            var response = SpeedTestResponse(status: 200, latency: .milliseconds(40))
            response.headers["server-timing"] = "cfRequestDuration;dur=15"
            response.connectDuration = .milliseconds(50)
            response.handshakeDuration = .milliseconds(30)
            return response
        }

        func carry(
            _ request: SpeedTestRequest,
            _ direction: Direction,
            bytes: UInt64,
            meter: TransferMeter
        ) async throws(SpeedTestFailure) -> SpeedTestResponse { SpeedTestResponse(status: 200) }
    }

    @Test func `a probe without an answer takes as long as its time limit, one that is reset counts not at all`()
        async throws
    {
        let transport = LosingTransport()
        let url = "http://server.invalid"
        let measurement = try HTTPMeasurement(
            SpeedTestServer(name: "test", dialect: .cloudflare, url: url),
            SpeedTestOptions(),
            account: TrafficAccount(),
            transport: transport
        )
        let dialect = CloudflareDialect(base: try #require(WebURL(url)))
        let run = LoadRun(.download, dialect, measurement, idle: nil, wall: .now)
        await withTaskGroup(of: Void.self) { group in
            run.addProbes(to: &group)
            try? await eventually("probes of both kinds") {
                run.probes.withLock { $0.same.count >= 2 && !$0.foreign.isEmpty }
            }
            group.cancelAll()
        }
        let probes = run.probes.withLock { $0 }
        #expect(probes.same.count >= 2 && Set(probes.same) == [.seconds(3)])
        #expect(probes.failures == 3)
        // Without the server's own time.
        let steps = LoadedProbes.Foreign(connect: .milliseconds(50), tls: .milliseconds(30), http: .milliseconds(25))
        #expect(probes.foreign.first == steps)
    }
}
