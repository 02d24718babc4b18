import Statistics

/// The measured window: its rate is the mean over all of it but for held-back ends, and it is over when that has settled.
struct SteadyWindow: Sendable, Equatable {
    static let binWidth = Duration.milliseconds(500)
    /// Bins in a moving average, and moving averages that are compared (draft-ietf-ippm-responsiveness' MAD).
    private static let depth = 4

    private(set) var samples: [LoadSample]
    private let length: ClosedRange<Duration>
    private var bins: RateBins
    private var rates: [Double] = []
    private var averages: [Double] = []

    init(start: LoadSample, length: ClosedRange<Duration>) {
        samples = [start]
        self.length = length
        bins = RateBins(width: Self.binWidth, start: start)
    }

    mutating func add(_ sample: LoadSample) {
        samples.append(sample)
        guard let rate = bins.add(sample) else { return }
        rates = (rates + [rate]).suffix(Self.depth)
        averages = (averages + [rates.reduce(0, +) / Double(rates.count)]).suffix(Self.depth)
    }

    var start: LoadSample { samples[0] }
    var end: LoadSample { samples[samples.count - 1] }
    var duration: Duration { end.time - start.time }
    var bytes: UInt64 { end.bytes > start.bytes ? end.bytes - start.bytes : 0 }
    /// What the rate is taken from; nil where no time has passed.
    var calm: CalmSpan? { CalmSpan(samples) }

    /// The averages' standard deviation is small against the last: 5 %, 2 % in the first five seconds.
    ///
    /// A short window must be the steadier one, since there is less in it to even out.
    var isStable: Bool {
        guard averages.count == Self.depth, let last = averages.last, last > 0 else { return false }
        let mean = averages.reduce(0, +) / Double(averages.count)
        let variance = averages.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(averages.count)
        return variance.squareRoot() <= last * (duration < .seconds(5) ? 0.02 : 0.05)
    }

    /// Nothing more is to be learnt.
    var isSettled: Bool { duration >= length.lowerBound && isStable }
    /// It has lasted as long as it may.
    var isFull: Bool { duration >= length.upperBound }
}
