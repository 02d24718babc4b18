/// A metric's name, type and help with all its series, as values.
///
/// The name is written as a dashboard shows it: complete, and a counter's with its `_total` (OpenMetrics drops it in
/// HELP and TYPE; the encoder knows). A family without a series prints nothing: absent is not 0.
///
/// Names and help are the program's own, so a bad name is a programming mistake, caught by an assertion.
public struct MetricFamily: Sendable, Hashable {
    /// The complete name, `network_health_outages_total`.
    public let name: String
    /// What the samples mean.
    public let type: MetricType
    /// One sentence for people.
    public let help: String
    /// The series of every type but histograms.
    public let samples: [Sample]
    /// The series of a histogram.
    public let histograms: [HistogramSample]

    init(_ name: String, _ type: MetricType, help: String, samples: [Sample] = [], histograms: [HistogramSample] = []) {
        assert(isIdentifier(name, colons: true), "invalid metric name \(name)")
        assert((type == .counter) == name.hasSuffix("_total"), "\(name): counters, and only they, end in _total")
        self.name = name
        self.type = type
        self.help = help
        self.samples = samples
        self.histograms = histograms
    }

    /// Whether there is no series, so that nothing is printed.
    public var isEmpty: Bool { samples.isEmpty && histograms.isEmpty }

    /// Whether this family prints samples of that name: `?name[]=` names samples, and a histogram has three kinds.
    public func hasSample(named sample: String) -> Bool {
        guard sample != name else { return true }
        guard type == .histogram, sample.hasPrefix(name) else { return false }
        return ["_bucket", "_sum", "_count"].contains(sample.dropFirst(name.count))
    }
}
