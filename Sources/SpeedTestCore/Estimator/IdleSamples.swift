import Statistics

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
