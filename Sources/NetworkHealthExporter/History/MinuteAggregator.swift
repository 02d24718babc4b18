import Probing
import Statistics

/// Makes one row of the samples of each minute of the clock: a pure value, with the time handed in.
struct MinuteAggregator: Sendable {
    private var row: MinuteLatency?
    private var latencies: [Double] = []

    /// Takes a sample in, nil where nothing is known, at a time in seconds since 1970.
    ///
    /// - Returns: The minute before, when that is over and had a sample.
    mutating func add(_ sample: NetworkLatency?, at time: Double) -> MinuteLatency? {
        let minute = (time / 60).rounded(.down) * 60
        // Another one also when the clock was set back.
        let finished = row?.at == minute ? nil : end()
        guard let sample, sample != NetworkLatency() else { return finished }
        var row = row ?? MinuteLatency(at: minute)
        if let latency = sample.latency { latencies.append(latency / .seconds(1)) }
        row.jitter = sample.jitter.map { $0 / .seconds(1) } ?? row.jitter
        row.loss = sample.lossRatio ?? row.loss
        self.row = row
        return finished
    }

    /// Ends the minute that is under way; nil where it had no sample.
    mutating func end() -> MinuteLatency? {
        defer { (row, latencies) = (nil, []) }
        row?.p50 = latencies.median { ($0 + $1) / 2 }
        row?.p95 = latencies.isEmpty ? nil : latencies.sorted()[(latencies.count * 95 + 99) / 100 - 1]
        return row
    }
}
