/// Cuts a series of samples into bins of about one width, and tells the rate of each as it closes.
struct RateBins: Sendable, Equatable {
    private let width: Duration
    private var start: LoadSample

    init(width: Duration, start: LoadSample) {
        self.width = width
        self.start = start
    }

    /// Bytes a second of the bin that this sample closes, over the time that has really passed; nil: it goes on.
    mutating func add(_ sample: LoadSample) -> Double? {
        guard sample.time - start.time >= width else { return nil }
        defer { start = sample }
        return sample.rate(since: start)
    }
}
