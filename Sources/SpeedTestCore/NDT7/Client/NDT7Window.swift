import Statistics

/// Decides when the warm-up of a direction ends and when its window is long enough, from its byte count over time.
struct NDT7Window {
    enum Verdict: Equatable {
        case goOn
        /// The rate has settled.
        case stable
        /// The window is as long as it may be.
        case full
    }

    private let length: ClosedRange<Duration>
    /// Bytes after which the warm-up ends in any case: a third of the byte limit.
    private let warmUpBytes: UInt64
    private let timing: NDT7Timing
    private var samples = [LoadSample(time: .zero, bytes: 0)]
    /// Where the window begins; nil during the warm-up.
    private(set) var begin: LoadSample?

    init(length: ClosedRange<Duration>, byteLimit: UInt64?, timing: NDT7Timing) {
        self.length = length
        warmUpBytes = byteLimit.map(SpeedTestBudget.warmUp) ?? .max
        self.timing = timing
    }

    var end: LoadSample { samples[samples.count - 1] }

    /// The length of the window so far.
    var duration: Duration { begin.map { end.time - $0.time } ?? .zero }

    /// The bytes and the length of the window; nil during the warm-up.
    ///
    /// Bytes beyond a lost segment are counted late and all at once, so that an edge on such a stall would move them
    /// across it: the window begins and ends at samples that grew, unless that takes off more than an interval.
    var total: (bytes: UInt64, duration: Duration)? {
        guard let begin else { return nil }
        let last = samples.indices.reversed()
            .prefix { samples[$0].time > max(begin.time, end.time - timing.interval) }
            .first { !isStalled(at: $0) }
        let edge = last.map { samples[$0] } ?? end
        return (edge.bytes - begin.bytes, edge.time - begin.time)
    }

    /// The rate of the last interval, for the progress.
    var currentRate: Double {
        let start = max(.zero, end.time - timing.interval)
        return rate(from: start, to: end.time)
    }

    /// Takes a count, which never falls; a sample whose time does not grow is ignored.
    mutating func add(_ sample: LoadSample) -> Verdict {
        if sample.time > end.time, sample.bytes >= end.bytes { samples.append(sample) }
        guard begin != nil else {
            if isWarm, !isStalled(at: samples.count - 1) || end.time > timing.warmUp.upperBound + timing.interval {
                begin = end
            }
            return .goOn
        }
        if duration >= length.upperBound { return .full }
        return duration >= length.lowerBound && isStable ? .stable : .goOn
    }

    /// Whether a sample grew by less than half of what the rate of the interval before it predicts.
    private func isStalled(at index: Int) -> Bool {
        guard index > 0 else { return false }
        let (before, sample) = (samples[index - 1], samples[index])
        let expected = rate(from: max(.zero, before.time - timing.interval), to: before.time)
        return Double(sample.bytes - before.bytes) < 0.5 * expected * (sample.time - before.time).seconds
    }

    private var isWarm: Bool {
        let time = end.time
        guard time < timing.warmUp.upperBound, end.bytes < warmUpBytes else { return true }
        guard time >= timing.warmUp.lowerBound, time >= timing.bin * 2 else { return false }
        let last = rate(from: time - timing.bin, to: time)
        let before = rate(from: time - timing.bin * 2, to: time - timing.bin)
        return last > 0 && abs(last - before) < 0.1 * last
    }

    /// Whether the standard deviation of the last four moving averages, of four intervals each, is at most 5 % of the
    /// last.
    var isStable: Bool {
        guard let begin else { return false }
        let count = Int((duration / timing.interval).rounded(.down))
        guard count >= 4 else { return false }
        let rates = (0..<count).map { index in
            rate(from: begin.time + timing.interval * index, to: begin.time + timing.interval * (index + 1))
        }
        let averages = rates.indices.suffix(4).map { index in
            let window = rates[max(0, index - 3)...index]
            return window.reduce(0, +) / Double(window.count)
        }
        return averages.isSettled(within: 0.05)
    }

    private func rate(from start: Duration, to end: Duration) -> Double {
        let length = (end - start).seconds
        return length > 0 ? (count(at: end) - count(at: start)) / length : 0
    }

    /// The count between two samples, by linear interpolation.
    private func count(at time: Duration) -> Double {
        guard let later = samples.lastIndex(where: { $0.time <= time }) else { return 0 }
        let earlier = samples[later]
        guard later + 1 < samples.count, earlier.time < time else { return Double(earlier.bytes) }
        let next = samples[later + 1]
        let share = (time - earlier.time) / (next.time - earlier.time)
        return Double(earlier.bytes) + share * Double(next.bytes - earlier.bytes)
    }
}
