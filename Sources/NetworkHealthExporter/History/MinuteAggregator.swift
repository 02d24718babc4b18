import Probing
import Statistics

/// Makes one row of the single measurements of each minute of the clock: a pure value that is given the time.
struct MinuteAggregator: Sendable {
    private struct Minute {
        /// When it began, in seconds since 1970.
        var at: Double
        /// Seconds.
        var latencies = RandomSample()
        /// Of the sources whose failures are lost packets.
        var packets = (sent: 0, lost: 0)
        /// Differences between one latency and the next of the same source.
        var differences = (sum: 0.0, count: 0)
        /// Whether the latencies are medians already, of which no percentile is known.
        var isOfFlows = false
    }

    /// Latencies that are further apart are not compared, as in the jitter of now; in seconds.
    private static let longestPause = NetworkLatency.span / .seconds(1)

    private var minute: Minute?
    /// The last latency of each source on this uplink, and when it was read.
    private var last: [String: (latency: Double, at: Double)] = [:]

    /// Adds measurements, nil where there are none, at a time in seconds since 1970.
    ///
    /// - Returns: The previous minute, when that is over and had a measurement.
    mutating func add(_ samples: LatencySamples?, at time: Double) -> LatencyRow? {
        let at = (time / 60).rounded(.down) * 60
        // Another one also when the clock was set back.
        let finished = minute?.at == at ? nil : end()
        if case .probes(let sources, _, let restarted) = samples {
            last = last.filter { sources[$0.key] != nil && !restarted.contains($0.key) }
        } else {
            last = [:]
        }
        switch samples {
        case .probes(let sources, let packets, _) where sources.values.contains { !$0.isEmpty }:
            var minute = minute ?? Minute(at: at)
            // Medians of flows, from before a target or the internet answered.
            if minute.isOfFlows { minute = Minute(at: at) }
            for (source, outcomes) in sources {
                for outcome in outcomes { add(outcome.map { $0 / .seconds(1) }, of: source, at: time, to: &minute) }
                guard packets.contains(source) else { continue }
                minute.packets.sent += outcomes.count
                minute.packets.lost += outcomes.count { $0 == nil }
            }
            self.minute = minute
        case .flows(let median) where minute?.isOfFlows ?? true:
            var minute = minute ?? Minute(at: at, isOfFlows: true)
            minute.latencies.add(median / .seconds(1))
            self.minute = minute
        case .probes, .flows, nil: break
        }
        return finished
    }

    /// Ends the current minute; nil where it had no measurement.
    mutating func end() -> LatencyRow? {
        guard let minute = minute.take() else { return nil }
        let sorted = minute.latencies.values.sorted()
        return LatencyRow(
            at: minute.at,
            p50: sorted.median,
            p95: sorted.isEmpty || minute.isOfFlows ? nil : sorted[(sorted.count * 95 + 99) / 100 - 1],
            jitter: minute.differences.count == 0 ? nil : minute.differences.sum / Double(minute.differences.count),
            loss: minute.packets.sent > 0 ? Double(minute.packets.lost) / Double(minute.packets.sent) : nil
        )
    }

    private mutating func add(_ latency: Double?, of source: String, at time: Double, to minute: inout Minute) {
        guard let latency else { return }
        minute.latencies.add(latency)
        if let before = last.updateValue((latency, time), forKey: source),
            (0...Self.longestPause).contains(time - before.at)
        {
            minute.differences.sum += abs(latency - before.latency)
            minute.differences.count += 1
        }
    }
}
