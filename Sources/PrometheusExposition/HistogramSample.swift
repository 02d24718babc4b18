/// One series of a histogram family.
public struct HistogramSample: Sendable, Hashable {
    /// What tells this series from the family's others, without `le`.
    public var labels: Labels
    /// The observations so far.
    public var histogram: Histogram

    /// One series, as in `HistogramSample(labels: ["target": "dns"], histogram)`.
    public init(labels: Labels = [:], _ histogram: Histogram) {
        self.labels = labels
        self.histogram = histogram
    }
}
