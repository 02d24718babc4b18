import Coordination
import Statistics

/// Round trips of small requests under load, and the latency and responsiveness that follow from them.
struct LoadedProbes: Sendable, Equatable {
    /// The durations of each step on a new connection.
    struct Foreign: Sendable, Equatable {
        var connect: Duration
        /// One round trip of TLS 1.3; nil without TLS.
        var tls: Duration?
        var http: Duration
    }

    /// Fewer samples give no result.
    private static let minimum = 8

    /// On the connection that was open before the load; a request without an answer counts as its timeout.
    var same: [Duration] = []
    /// How many were refused or reset instead, which shows nothing of the time of an answer.
    var failures = 0
    var foreign: [Foreign] = []

    /// Whether there are enough samples for a result.
    var isEnough: Bool { same.count >= Self.minimum }

    /// Whether so many have ended that the load need not go on for more.
    var hasEnded: Bool { same.count + failures >= Self.minimum }

    /// The upper quartile; nil below the minimum of samples.
    var latency: Duration? { isEnough ? same.upperQuartile : nil }

    /// Round trips per minute (draft-ietf-ippm-responsiveness-09 section 4): the mean of the two kinds of probes.
    ///
    /// With HTTP/1.1 a probe cannot share a connection with the load; the open one replaces it. Without a new
    /// connection only the open one counts.
    var responsiveness: Double? {
        guard isEnough, let loaded = same.trimmedMean, loaded > 0 else { return nil }
        let steps = [foreign.map(\.connect), foreign.compactMap(\.tls), foreign.map(\.http)].compactMap(\.trimmedMean)
        let mean = steps.reduce(0, +) / Double(max(1, steps.count))
        guard mean > 0 else { return 60 / loaded }
        return (60 / mean + 60 / loaded) / 2
    }
}

extension [Duration] {
    /// Seconds: the mean of the best 95 %; nil without a sample.
    fileprivate var trimmedMean: Double? {
        guard !isEmpty else { return nil }
        let best = sorted().prefix(Swift.max(1, Int((Double(count) * 0.95).rounded(.up))))
        return best.reduce(0) { $0 + $1.seconds } / Double(best.count)
    }
}

extension LoadRun {
    /// The maximum bytes of a small request and its answer.
    private static let probeCost: UInt64 = 2048
    static let probeTimeout = Duration.seconds(3)

    /// Small requests during the load: latency, new connections, and the server's counters.
    func addProbes(to group: inout TaskGroup<Void>) {
        group.addTask {
            await often(.milliseconds(100)) {
                let time: Duration
                do throws(SpeedTestFailure) {
                    time = dialect.latency(of: try await transport.ping(dialect, onNewConnection: false))
                } catch {
                    guard error.reason == .timeout else { return probes.withLock { $0.failures += 1 } }
                    time = LoadRun.probeTimeout
                }
                guard !Task.isCancelled else { return }
                probes.withLock { $0.same.append(time) }
            }
        }
        group.addTask {
            await often(.seconds(1)) {
                guard let answer = try? await transport.ping(dialect, onNewConnection: true),
                    let connect = answer.connectDuration
                else {
                    return
                }
                let probe = LoadedProbes.Foreign(
                    connect: connect,
                    tls: answer.handshakeDuration,
                    http: dialect.latency(of: answer)
                )
                probes.withLock { $0.foreign.append(probe) }
            }
        }
        guard direction == .upload, let request = dialect.counters(id: id) else { return }
        group.addTask {
            await often(.milliseconds(100)) {
                guard let answer = try? await transport.ask(request), answer.status == 200,
                    let count = ServerCount(answer.body, beyondHoles: load.beyondHoles, written: load.written)
                else { return }
                counts.withLock { $0.append(count) }
            }
        }
    }

    /// Repeats, with a pause after each, until the load ends or the allowance is used up.
    private func often(_ pause: Duration, _ body: () async -> Void) async {
        while !Task.isCancelled, allowance.take(exactly: Self.probeCost) {
            await body()
            try? await Task.sleep(for: pause)
        }
    }
}

extension SpeedTestTransport {
    /// A small request that fails unless its answer is a success.
    func ping(
        _ dialect: any SpeedTestDialect,
        onNewConnection isNew: Bool
    ) async throws(SpeedTestFailure) -> SpeedTestResponse {
        var request = dialect.ping()
        request.timeout = LoadRun.probeTimeout
        let response = try await ask(request, onNewConnection: isNew)
        if let failure = SpeedTestFailure(refusal: response, of: request) { throw failure }
        return response
    }
}
