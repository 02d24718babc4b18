import Coordination
import HTTPTransfer
import Testing

@testable import SpeedTestCore

@Suite(.timeLimit(.minutes(3)))
struct IdleRunTests {
    /// Answers each ping after the next latency, or not (nil), and later ones after 20 ms.
    private struct Answers: AnsweringNetworking {
        let latencies: Locked<[Duration?]>

        func get(_ request: SpeedTestRequest) async throws -> SpeedTestResponse {
            let latency: Duration? = latencies.withLock { $0.isEmpty ? Duration.milliseconds(20) : $0.removeFirst() }
            guard let latency else { throw NetworkError.timeout }
            return SpeedTestResponse(status: 200, latency: latency)
        }
    }

    private func latency(_ milliseconds: [Int?], samples: Int) async throws -> IdleLatency {
        let latencies = milliseconds.map { $0.map { Duration.milliseconds($0) } }
        let run = IdleRun(
            dialect: CloudflareDialect(base: try #require(WebURL("http://server.invalid"))),
            transport: CustomTransport(networking: Answers(latencies: Locked(latencies))),
            samples: samples
        )
        return try await run.run(until: ContinuousClock.now + .seconds(30)) { _ in }
    }

    @Test func `the first answer of a connection is no sample, also after a loss, which is one`() async throws {
        let found = try await latency([500, 10, nil, 700, 16], samples: 3)
        #expect(found == IdleLatency(latency: .milliseconds(13), jitter: .milliseconds(6)))
    }

    @Test func `losses end it only in a row`() async throws {
        let found = try await latency([1, nil, nil, 1, nil, nil], samples: 5)
        #expect(found == IdleLatency(latency: .milliseconds(20), jitter: .zero))
    }
}
