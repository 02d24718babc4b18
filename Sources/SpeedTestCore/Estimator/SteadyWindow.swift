import Statistics

/// The measured window: its rate is the mean over all of it, and its end comes when that has settled.
struct SteadyWindow: Sendable, Equatable {
    static let binWidth = Duration.milliseconds(500)
    /// Bins in a moving average, and moving averages that are compared (draft-ietf-ippm-responsiveness' MAD).
    private static let depth = 4

    let start: LoadSample
    private(set) var end: LoadSample
    private let length: ClosedRange<Duration>
    private var bins: RateBins
    private var rates: [Double] = []
    private var averages: [Double] = []
    private var largestStep = LoadSample(time: .zero, bytes: 0)

    init(start: LoadSample, length: ClosedRange<Duration>) {
        self.start = start
        end = start
        self.length = length
        bins = RateBins(width: Self.binWidth, start: start)
    }

    mutating func add(_ sample: LoadSample) {
        let step = LoadSample(time: sample.time - end.time, bytes: sample.bytes - min(sample.bytes, end.bytes))
        if step.bytes > largestStep.bytes { largestStep = step }
        end = sample
        guard let rate = bins.add(sample) else { return }
        rates = (rates + [rate]).suffix(Self.depth)
        averages = (averages + [rates.reduce(0, +) / Double(rates.count)]).suffix(Self.depth)
    }

    var duration: Duration { end.time - start.time }
    var bytes: UInt64 { end.bytes > start.bytes ? end.bytes - start.bytes : 0 }
    var bytesPerSecond: Double { end.rate(since: start) ?? 0 }

    /// The averages' standard deviation is small against the last: 5 %, 2 % in the first five seconds.
    ///
    /// A short window must be the steadier one, since there is less in it to even out.
    var isStable: Bool {
        guard averages.count == Self.depth, let last = averages.last, last > 0 else { return false }
        let mean = averages.reduce(0, +) / Double(averages.count)
        let variance = averages.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(averages.count)
        return variance.squareRoot() <= last * (duration < .seconds(5) ? 0.02 : 0.05)
    }

    /// One burst more or less at an end of the window would change its rate by 2 % at most.
    ///
    /// A lost segment holds back what came after it, which then arrives at once: much, on a slow and long line.
    private var isFine: Bool {
        let usual = bytesPerSecond * largestStep.time.seconds
        return Double(largestStep.bytes) - usual <= Double(bytes) * 0.02
    }

    /// Nothing more is to be learnt, or it has lasted as long as it may.
    var isOver: Bool {
        duration >= length.upperBound || duration >= length.lowerBound && isStable && isFine
    }
}
