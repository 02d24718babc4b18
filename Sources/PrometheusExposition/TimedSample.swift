/// A sample of the past, with the time at which it held.
public struct TimedSample: Sendable, Hashable {
    /// The series and its value.
    public var sample: Sample
    /// Since 1970.
    public var milliseconds: Int64

    /// One sample, as in `TimedSample(Sample(12), at: 1_700_000_000_000)`.
    public init(_ sample: Sample, at milliseconds: Int64) {
        self.sample = sample
        self.milliseconds = milliseconds
    }
}
