import PrometheusExposition

/// The lines of one family: the lines of each series are together, with ascending times.
///
/// The first series is printed as it comes; other series, such as another server's, are kept as numbers until the end.
struct TimedFamily {
    private struct Series {
        var labels: Labels
        var values: [(milliseconds: Int64, value: MetricValue)] = []
    }

    private var family: MetricFamily?
    /// The last sample of the first series: one of the same millisecond replaces it.
    private var held: TimedSample?
    private var others: [Series] = []
    private var indices: [Labels: Int] = [:]

    /// Adds the samples of one moment, and returns the lines that can be printed.
    mutating func add(_ family: MetricFamily, at milliseconds: Int64) -> [UInt8] {
        var bytes: [UInt8] = []
        for sample in family.samples {
            let new = TimedSample(sample, at: milliseconds)
            if self.family == nil {
                self.family = family
                bytes = TimedExposition.header(of: family)
                held = new
            } else if let held, held.sample.labels == sample.labels {
                // Where the clock was set back, what is older than the last one is left out: no series goes backwards.
                guard held.milliseconds <= milliseconds else { continue }
                if held.milliseconds < milliseconds { bytes += TimedExposition.lines([held], of: family) }
                self.held = new
            } else {
                keep(new)
            }
        }
        return bytes
    }

    /// The remaining lines, in parts.
    mutating func end() -> [[UInt8]] {
        guard let family, let held else { return [] }
        defer { self = TimedFamily() }
        return [TimedExposition.lines([held], of: family)]
            + others.map { series in
                let samples = series.values.map {
                    TimedSample(Sample(labels: series.labels, $0.value), at: $0.milliseconds)
                }
                return TimedExposition.lines(samples, of: family)
            }
    }

    private mutating func keep(_ new: TimedSample) {
        let index = indices[new.sample.labels, default: others.count]
        if index == others.count {
            indices[new.sample.labels] = index
            others.append(Series(labels: new.sample.labels))
        }
        let last = others[index].values.last?.milliseconds ?? .min
        guard last <= new.milliseconds else { return }
        if last == new.milliseconds { others[index].values.removeLast() }
        others[index].values.append((new.milliseconds, new.sample.value))
    }
}
