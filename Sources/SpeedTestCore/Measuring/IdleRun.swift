import Statistics

/// Small requests one after the other on a warm connection, without load.
struct IdleRun: Sendable {
    let dialect: any SpeedTestDialect
    let transport: any SpeedTestTransport
    /// How many count; the first request of a connection does not.
    let samples: Int

    private static let lossesInARow = 3

    /// - Returns: the latency of the answers, whatever was lost between them.
    func run(
        until wall: ContinuousClock.Instant,
        progress: (Double) -> Void
    ) async throws(SpeedTestFailure) -> IdleLatency {
        let wanted = max(1, samples)
        var found = Outcomes()
        // The first of a connection only warms it up.
        var isWarm = false
        var losses: [SpeedTestFailure] = []
        while found.count < wanted {
            if Task.isCancelled { throw SpeedTestFailure(.cancelled, "the latency test was cancelled") }
            guard ContinuousClock.now < wall else {
                throw SpeedTestFailure(.timeout, "the latency test did not end in time")
            }
            do throws(SpeedTestFailure) {
                let time = try await sample()
                if isWarm { found.append(time) }
                isWarm = true
                losses = []
            } catch {
                guard error.reason == .timeout || error.reason == .reset else { throw error }
                found.append(nil)
                isWarm = false
                losses.append(error)
                if losses.count == Self.lossesInARow { throw losses[0] }
            }
            progress(Double(found.count) / Double(wanted))
            // At random, so that no rhythm of the path hides from it.
            try? await Task.sleep(for: .milliseconds(Int.random(in: 80...120)))
        }
        guard let median = found.median else { throw SpeedTestFailure(.timeout, "no answer to any ping") }
        return IdleLatency(latency: median, jitter: found.jitter ?? .zero)
    }

    private func sample() async throws(SpeedTestFailure) -> Duration {
        let request = dialect.ping()
        let response = try await transport.ask(request)
        if let failure = SpeedTestFailure(refusal: response, of: request) { throw failure }
        guard dialect.isPong(response) else {
            throw SpeedTestFailure(.status, "\(request.url): the answer is not of this protocol")
        }
        return dialect.latency(of: response)
    }
}

extension SpeedTestDialect {
    /// The round trip without the server's own time.
    func latency(of response: SpeedTestResponse) -> Duration {
        guard let own = serverTime(in: response), own < response.latency else { return response.latency }
        return response.latency - own
    }
}
