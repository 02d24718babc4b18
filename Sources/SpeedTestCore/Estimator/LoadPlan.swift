import Statistics

/// The course of the load of one direction, sample by sample: warm-up, measured window, end.
struct LoadPlan: Sendable, Equatable {
    enum Step: Sendable, Equatable {
        case addStreams(Int)
        /// The measured window begins.
        case measure
        case end(Ending)
    }

    enum Ending: Sendable, Equatable {
        /// The window is long enough.
        case measured
        /// The byte limit is used up.
        case dataCap
        /// No byte has moved for too long.
        case stalled
    }

    /// The time without a byte: before the first one, later, and at the end of the window.
    private static let patience = (first: Duration.seconds(10), later: Duration.seconds(5), end: Duration.seconds(2))

    private let share: UInt64?
    private let length: ClosedRange<Duration>
    private var ramp = StreamRamp()
    private var warmup: Warmup
    private var bins = RateBins(width: RateBins.usual, start: LoadSample(time: .zero, bytes: 0))
    private var progress = LoadSample(time: .zero, bytes: 0)
    private(set) var window: SteadyWindow?

    /// - Parameters:
    ///   - share: bytes that may move; nil: no limit.
    ///   - length: of the window.
    init(share: UInt64?, length: ClosedRange<Duration>) {
        self.share = share
        self.length = length
        warmup = Warmup(share: share)
    }

    var streams: Int { ramp.streams }

    /// Takes the next sample; nil: continue unchanged.
    ///
    /// - Parameters:
    ///   - sample: the bytes that have moved so far.
    ///   - isExhausted: the byte limit is used up.
    ///   - isProbed: the latency under load is known, which takes longer than the rate on long lines.
    ///   - isLimited: the result would be marked as limited by the processor if the window ended now; evaluated only where
    ///     that matters, since it is read from files.
    /// - Returns: the next step.
    mutating func take(
        _ sample: LoadSample,
        isExhausted: Bool,
        isProbed: Bool,
        isLimited: () -> Bool = { false }
    ) -> Step? {
        if sample.bytes != progress.bytes || sample.segments != progress.segments { progress = sample }
        if window != nil {
            window?.add(sample)
            if isExhausted { return .end(.dataCap) }
            if let window, window.isFull || isProbed && (window.isSettled || window.isStretched && isLimited()) {
                // A line that failed in the last seconds would look like a slow one.
                let isSilent = sample.time - progress.time >= Self.patience.end || window.bytes == 0
                return .end(isSilent ? .stalled : .measured)
            }
        } else if isExhausted {
            return .end(.dataCap)
        } else if warmup.isOver(at: sample) {
            window = SteadyWindow(start: sample, length: length)
            return .measure
        }
        let patience = progress.bytes == 0 ? Self.patience.first : Self.patience.later
        if sample.time - progress.time >= patience { return .end(.stalled) }
        return window == nil ? ramp(sample) : nil
    }

    /// Takes the bytes of failed requests from every sample that they were in.
    mutating func remove(_ lost: LostBytes) {
        progress = progress.without(lost)
        bins = bins.without(lost)
        window = window?.without(lost)
    }

    private mutating func ramp(_ sample: LoadSample) -> Step? {
        guard let rate = bins.add(sample) else { return nil }
        warmup.add(bytesPerSecond: rate)
        let added = ramp.next(bytesPerSecond: rate)
        guard added > 0 else { return nil }
        warmup.streamsWereAdded(at: sample.time)
        return .addStreams(added)
    }

    /// When the next sample is due: 100 ms, sooner where little is left of the share at this rate.
    func interval(bytesPerSecond: Double?) -> Duration {
        let usual = Duration.milliseconds(100)
        guard let share else { return usual }
        guard let bytesPerSecond, bytesPerSecond > 0 else { return .milliseconds(10) }
        return min(usual, max(.milliseconds(5), .seconds(min(Double(share) / 32 / bytesPerSecond, 1))))
    }
}

/// How many connections share the load: more for as long as they raise the rate.
struct StreamRamp: Sendable, Equatable {
    static let initial = 4
    private static let maximum = 16
    /// Bytes per second of one connection: more connections do not help a slow line.
    private static let minRate = 250_000.0
    /// The rate must grow by this factor, else no connection is added any more.
    private static let gain = 1.05

    private(set) var streams = initial
    private var previous: Double?
    private var isFrozen = false

    /// How many to add after half a second at this rate.
    mutating func next(bytesPerSecond: Double) -> Int {
        defer { previous = bytesPerSecond }
        guard let previous, !isFrozen else { return 0 }
        let limit = Int(min(Double(Self.maximum), max(Double(Self.initial), bytesPerSecond / Self.minRate)))
        guard bytesPerSecond > previous * Self.gain, streams < limit else {
            isFrozen = true
            return 0
        }
        let added = min(2, limit - streams)
        streams += added
        return added
    }
}

/// Decides when the connections have reached the rate of the path.
struct Warmup: Sendable, Equatable {
    private static let minimum = Duration.milliseconds(1500)
    private static let maximum = Duration.seconds(4)
    /// The time since connections were last added.
    private static let calm = Duration.seconds(1)
    private static let tolerance = 0.1

    /// Bytes of the warm-up; nil: no limit.
    private let byteLimit: UInt64?
    private var previous: Double?
    private var isSettled = false
    private var lastAdded = Duration.zero

    /// - Parameter share: the bytes of the whole direction, of which it takes at most a third.
    init(share: UInt64?) {
        byteLimit = share.map(SpeedTestBudget.warmUp)
    }

    mutating func streamsWereAdded(at time: Duration) { lastAdded = time }

    /// The rate of half a second.
    mutating func add(bytesPerSecond rate: Double) {
        if let previous { isSettled = abs(rate - previous) < Self.tolerance * max(rate, previous) }
        previous = rate
    }

    /// Whether the measured window may begin with this sample.
    func isOver(at sample: LoadSample) -> Bool {
        if let byteLimit, sample.bytes >= byteLimit { return true }
        if sample.time >= Self.maximum { return sample.bytes > 0 }
        return isSettled && sample.time >= Self.minimum && sample.time - lastAdded >= Self.calm
    }
}
