import Statistics

/// Decides when the warm-up of a direction ends and when its window is long enough, from its byte count over time.
struct NDT7Window {
    enum Verdict: Equatable {
        case goOn
        /// The mean is certain.
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

    /// The mean of the window; nil during the warm-up.
    var mean: MeanRate? {
        begin.flatMap { begin in MeanRate(Array(samples[(samples.lastIndex { $0.time <= begin.time } ?? 0)...])) }
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
        guard duration >= length.lowerBound else { return .goOn }
        return WindowRule.isCertain(mean?.uncertainty, after: duration, of: length) ? .stable : .goOn
    }

    /// Whether a sample grew by less than half of what the rate of the interval before it predicts.
    private func isStalled(at index: Int) -> Bool {
        guard index > 0 else { return false }
        let (before, sample) = (samples[index - 1], samples[index])
        let expected = rate(from: max(.zero, before.time - timing.interval), to: before.time)
        return Double(sample.count) - Double(before.count) < 0.5 * expected * (sample.time - before.time).seconds
    }

    private var isWarm: Bool {
        let time = end.time
        guard time < timing.warmUp.upperBound, end.bytes < warmUpBytes else { return true }
        guard time >= timing.warmUp.lowerBound, time >= timing.bin * 2 else { return false }
        let last = rate(from: time - timing.bin, to: time)
        let before = rate(from: time - timing.bin * 2, to: time - timing.bin)
        return last > 0 && abs(last - before) < 0.1 * last
    }

    private func rate(from start: Duration, to end: Duration) -> Double {
        let length = (end - start).seconds
        return length > 0 ? (count(at: end) - count(at: start)) / length : 0
    }

    /// The count between two samples, by linear interpolation.
    private func count(at time: Duration) -> Double {
        guard let later = samples.lastIndex(where: { $0.time <= time }) else { return 0 }
        let earlier = samples[later]
        guard later + 1 < samples.count, earlier.time < time else { return Double(earlier.count) }
        let next = samples[later + 1]
        let share = (time - earlier.time) / (next.time - earlier.time)
        return Double(earlier.count) + share * (Double(next.count) - Double(earlier.count))
    }
}

extension LoadSample {
    fileprivate var count: UInt64 { segments ?? bytes }
}
