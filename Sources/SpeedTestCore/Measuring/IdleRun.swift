import Statistics

/// Small requests one after the other on a warm connection, while nothing else goes on.
struct IdleRun: Sendable {
    let dialect: any SpeedTestDialect
    let transport: any SpeedTestTransport
    /// How many count; one more goes before them.
    let samples: Int

    private static let lossesInARow = 3

    /// - Returns: what came back, however much was lost between.
    func run(
        until wall: ContinuousClock.Instant,
        progress: (Double) -> Void
    ) async throws(SpeedTestFailure) -> IdleLatency {
        var found = IdleSamples()
        // The first of a connection only warms it up.
        var isWarm = false
        var losses: [SpeedTestFailure] = []
        while found.outcomes.count < max(1, samples) {
            if Task.isCancelled { throw SpeedTestFailure(.cancelled, "the latency test was cancelled") }
            guard ContinuousClock.now < wall else {
                throw SpeedTestFailure(.timeout, "the latency test has not ended in time")
            }
            do throws(SpeedTestFailure) {
                let time = try await sample()
                if isWarm { found.outcomes.append(time) }
                isWarm = true
                losses = []
            } catch {
                guard error.reason == .timeout || error.reason == .reset else { throw error }
                found.outcomes.append(nil)
                isWarm = false
                losses.append(error)
                if losses.count == Self.lossesInARow { throw losses[0] }
            }
            progress(Double(found.outcomes.count) / Double(max(1, samples)))
            // Not in step with anything else on the path.
            try? await Task.sleep(for: .milliseconds(Int.random(in: 80...120)))
        }
        guard let latency = found.latency else { throw SpeedTestFailure(.timeout, "no answer to any ping") }
        return latency
    }

    private func sample() async throws(SpeedTestFailure) -> Duration {
        let request = dialect.ping()
        let response = try await transport.ask(request)
        if let failure = SpeedTestFailure(refusal: response, of: request) { throw failure }
        guard dialect.isPong(response) else {
            throw SpeedTestFailure(.status, "\(request.url) did not answer as this protocol does")
        }
        return dialect.latency(of: response)
    }
}

extension SpeedTestDialect {
    /// The path's share of an answer's time.
    func latency(of response: SpeedTestResponse) -> Duration {
        guard let own = serverTime(in: response), own < response.latency else { return response.latency }
        return response.latency - own
    }
}

/// Round trips of the unloaded path, nil for each that did not come back.
struct IdleSamples: Sendable, Equatable {
    var outcomes: [Duration?] = []

    /// nil where nothing came back.
    var latency: IdleLatency? {
        let values = outcomes.compactMap(\.self)
        guard let median = values.median(midpoint: { ($0 + $1) / 2 }), let minimum = values.min() else { return nil }
        let steps = zip(values, values.dropFirst()).map { $0 < $1 ? $1 - $0 : $0 - $1 }
        return IdleLatency(
            latency: median,
            jitter: steps.isEmpty ? .zero : steps.reduce(.zero, +) / steps.count,
            minimum: minimum,
            loss: Double(outcomes.count - values.count) / Double(outcomes.count)
        )
    }
}
