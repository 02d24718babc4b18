import Locking

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
