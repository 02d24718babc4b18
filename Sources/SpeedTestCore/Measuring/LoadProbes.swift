import Locking
import Statistics

/// Round trips of small requests while the path is loaded, and what they say about it.
struct LoadedProbes: Sendable, Equatable {
    /// On a connection of its own: what each step took.
    struct Foreign: Sendable, Equatable {
        var connect: Duration
        /// One round trip of TLS 1.3; nil without TLS.
        var tls: Duration?
        var http: Duration
    }

    /// Fewer say nothing.
    private static let minimum = 8

    /// On the connection that was open before the load; one without an answer counts as its timeout.
    var same: [Duration] = []
    var foreign: [Foreign] = []

    /// Whether there are enough to say something.
    var isEnough: Bool { same.count >= Self.minimum }

    /// The upper quartile; nil where there are too few.
    var latency: Duration? { isEnough ? same.upperQuartile : nil }

    /// Round trips a minute (draft-ietf-ippm-responsiveness-09 section 4): the mean of what the two kinds of probes tell.
    ///
    /// HTTP/1.1 cannot have a probe share a connection with the load; the open one stands in for that. Without any new
    /// connection it alone counts.
    var responsiveness: Double? {
        guard isEnough, let loaded = same.trimmedMean, loaded > 0 else { return nil }
        let steps = [foreign.map(\.connect), foreign.compactMap(\.tls), foreign.map(\.http)].compactMap(\.trimmedMean)
        let mean = steps.reduce(0, +) / Double(max(1, steps.count))
        guard mean > 0 else { return 60 / loaded }
        return (60 / mean + 60 / loaded) / 2
    }
}

extension [Duration] {
    /// Seconds: the mean of the best 95 %; nil where there is none.
    fileprivate var trimmedMean: Double? {
        guard !isEmpty else { return nil }
        let best = sorted().prefix(Swift.max(1, Int((Double(count) * 0.95).rounded(.up))))
        return best.reduce(0) { $0 + $1.seconds } / Double(best.count)
    }
}

extension LoadRun {
    /// What a small request and its answer cost at most.
    private static let probeCost: UInt64 = 2048
    static let probeTimeout = Duration.seconds(3)

    /// Small requests beside the load: latency, new connections, and what the server has counted.
    func addProbes(to group: inout TaskGroup<Void>) {
        group.addTask {
            await often(.milliseconds(100)) {
                let answer = try? await transport.ping(dialect, onNewConnection: false)
                guard !Task.isCancelled else { return }
                let time = answer.map { dialect.latency(of: $0) } ?? LoadRun.probeTimeout
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
                    let count = ServerCount(answer.body)
                else { return }
                counts.withLock { $0.append(count) }
            }
        }
    }

    /// Until the load ends, or nothing is left to be asked for.
    private func often(_ pause: Duration, _ body: () async -> Void) async {
        while !Task.isCancelled, allowance.take(exactly: Self.probeCost) {
            await body()
            try? await Task.sleep(for: pause)
        }
    }
}

extension SpeedTestTransport {
    /// A small request whose answer must be a success.
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
