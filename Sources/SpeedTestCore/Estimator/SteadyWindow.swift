import Statistics

/// The measured window: its rate is the mean over it, without stalled ends; it ends when that rate has settled.
struct SteadyWindow: Sendable, Equatable {
    static let binWidth = Duration.milliseconds(500)
    /// Bins in a moving average, and moving averages that are compared (draft-ietf-ippm-responsiveness' MAD).
    private static let depth = 4

    private(set) var samples: [LoadSample]
    /// The bytes of failed requests that were in it, and are no longer in the samples.
    private(set) var lost: UInt64 = 0
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

    /// The same window as if those requests had never been.
    func without(_ lost: LostBytes) -> SteadyWindow {
        var window = SteadyWindow(start: start.without(lost), length: length)
        for sample in samples.dropFirst() { window.add(sample.without(lost)) }
        window.lost = self.lost + lost.bytes(since: start)
        return window
    }

    var start: LoadSample { samples[0] }
    var end: LoadSample { samples[samples.count - 1] }
    var duration: Duration { end.time - start.time }
    var bytes: UInt64 { end.bytes > start.bytes ? end.bytes - start.bytes : 0 }
    /// The part that the rate is computed from; nil where no time has passed.
    var calm: CalmSpan? { CalmSpan(samples) }

    /// The averages' standard deviation is small against the last: 5 %, 2 % in the first five seconds.
    ///
    /// A short window must be steadier, since it averages less.
    var isStable: Bool {
        averages.count == Self.depth && averages.isSettled(within: duration < .seconds(5) ? 0.02 : 0.05)
    }

    /// It is long enough, and its rate has settled.
    var isSettled: Bool { duration >= length.lowerBound && isStable }
    /// It has its maximum length.
    var isFull: Bool { duration >= length.upperBound }
}

extension [Double] {
    /// Whether the standard deviation is at most that share of the last value.
    func isSettled(within share: Double) -> Bool {
        guard let last, last > 0 else { return false }
        let mean = reduce(0, +) / Double(count)
        let variance = reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(count)
        return variance.squareRoot() <= last * share
    }
}

/// The bytes that had moved at one time.
struct LoadSample: Sendable, Equatable {
    /// Since the load began.
    var time: Duration
    /// Since the load began.
    var bytes: UInt64

    /// Bytes a second from an earlier sample to this; nil where no time has passed.
    func rate(since earlier: LoadSample) -> Double? {
        let seconds = (time - earlier.time).seconds
        return seconds > 0 ? max(0, Double(bytes) - Double(earlier.bytes)) / seconds : nil
    }
}

/// Cuts a series of samples into bins of about one width and returns the rate of each.
struct RateBins: Sendable, Equatable {
    private let width: Duration
    private var start: LoadSample

    init(width: Duration, start: LoadSample) {
        self.width = width
        self.start = start
    }

    /// The same bins as if those requests had never been.
    func without(_ lost: LostBytes) -> RateBins { RateBins(width: width, start: start.without(lost)) }

    /// Bytes per second of the bin that this sample closes, over the time that has passed; nil: the bin is still open.
    mutating func add(_ sample: LoadSample) -> Double? {
        guard sample.time - start.time >= width else { return nil }
        defer { start = sample }
        return sample.rate(since: start)
    }
}

/// Whether a window is long enough for a result.
enum WindowRule {
    /// - Parameters:
    ///   - window: its length.
    ///   - ending: why it ended.
    ///   - shortest: the minimum that was requested.
    ///   - roundTrip: of the unloaded path.
    /// - Returns: true from two seconds on, or from the requested minimum; where the byte limit ended it, from one second
    ///   on, or on a fast link from 20 round trips on: each connection has reached its rate by then.
    static func isUsable(
        _ window: Duration,
        ending: LoadPlan.Ending,
        shortest: Duration,
        roundTrip: Duration?
    ) -> Bool {
        switch ending {
        case .stalled: false
        case .measured: window >= min(.seconds(2), shortest)
        case .dataCap: window >= shortestCapped(roundTrip: roundTrip)
        }
    }

    /// The shortest window that counts where the byte limit ended it.
    static func shortestCapped(roundTrip: Duration?) -> Duration {
        min(.seconds(1), max(.milliseconds(20), (roundTrip ?? .seconds(1)) * 20))
    }
}

extension WindowRule {
    /// Bytes per second below which a line counts as broken: a few segments.
    static let minRate = 1000.0
    /// The share of failed requests above which a window has no rate: bytes that do not count have occupied the path.
    static let maxLost = 0.1
}
