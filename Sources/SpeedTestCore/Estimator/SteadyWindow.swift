import Statistics

/// The measured window: it ends when its mean is certain, and has its maximum length otherwise.
struct SteadyWindow: Sendable, Equatable {
    private(set) var samples: [LoadSample]
    /// The bytes of failed requests that were in it, and are no longer in the samples.
    private(set) var lost: UInt64 = 0
    private let length: ClosedRange<Duration>

    init(start: LoadSample, length: ClosedRange<Duration>) {
        samples = [start]
        self.length = length
    }

    mutating func add(_ sample: LoadSample) { samples.append(sample) }

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
    /// nil where no time has passed.
    var mean: MeanRate? { MeanRate(samples) }

    /// It is long enough, and its mean is certain.
    var isSettled: Bool {
        duration >= length.lowerBound && WindowRule.isCertain(mean?.uncertainty, after: duration, of: length)
    }
    /// It has twice its minimum length: for a rate that is only a lower bound no more data are worth it.
    var isStretched: Bool { WindowRule.isStretched(duration, of: length) }
    /// It has its maximum length.
    var isFull: Bool { duration >= length.upperBound }
}

/// The bytes that had moved at one time.
struct LoadSample: Sendable, Equatable {
    /// Since the load began.
    var time: Duration
    /// Since the load began.
    var bytes: UInt64
    /// Of a download: the segments that had arrived, each as the payload of a full one (`TCPCounters.segments`); nil where
    /// they are not counted, or their count is no measure of the payload.
    var segments: UInt64?

    /// Bytes a second from an earlier sample to this, by segments where both count them; nil where no time has passed.
    func rate(since earlier: LoadSample) -> Double? {
        let seconds = (time - earlier.time).seconds
        guard seconds > 0 else { return nil }
        if let segments, let before = earlier.segments { return max(0, Double(segments) - Double(before)) / seconds }
        return max(0, Double(bytes) - Double(earlier.bytes)) / seconds
    }
}

/// Cuts a series of samples into bins of about one width and returns the rate of each.
struct RateBins: Sendable, Equatable {
    static let usual = Duration.milliseconds(500)

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
    /// The uncertainty of the mean, a share of it, at which a window may end from its minimum length on.
    static let aim = 0.01

    /// Whether the mean is known so well that the window may end.
    ///
    /// To 1 %, and once the window has twice its minimum length, as well as a stable result needs it. That takes longer on a line whose rate
    /// swings, such as one with a buffer shorter than its round trip.
    static func isCertain(_ uncertainty: Double?, after window: Duration, of length: ClosedRange<Duration>) -> Bool {
        guard let uncertainty else { return false }
        return uncertainty <= (isStretched(window, of: length) ? DirectionReport.stable : aim)
    }

    /// Whether the window has twice its minimum length, from which on less is asked of it.
    static func isStretched(_ window: Duration, of length: ClosedRange<Duration>) -> Bool {
        window >= length.lowerBound * 2
    }

    /// Bytes per second below which a line counts as broken: a few segments.
    static let minRate = 1000.0
    /// The share of failed requests above which a window has no rate: bytes that do not count have occupied the path.
    static let maxLost = 0.1
}
