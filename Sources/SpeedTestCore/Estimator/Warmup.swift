/// Decides from when on the rate is the path's, and no longer that of connections which are still finding it.
struct Warmup: Sendable, Equatable {
    private static let least = Duration.milliseconds(1500)
    private static let most = Duration.seconds(4)
    /// Since connections were last added.
    private static let calm = Duration.seconds(1)
    private static let tolerance = 0.1

    /// Bytes that it may take; nil: as many as it likes.
    private let byteLimit: UInt64?
    private var previous: Double?
    private var isSettled = false
    private var lastAdded = Duration.zero

    /// - Parameter share: the bytes of the whole direction, of which it takes a third at most.
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
        if sample.time >= Self.most { return sample.bytes > 0 }
        return isSettled && sample.time >= Self.least && sample.time - lastAdded >= Self.calm
    }
}
