import PrometheusExposition

/// The lines of one family, of whose series each stands together and only goes forward in time.
///
/// The first series is printed as it comes; those beside it, such as another server's, wait as numbers for the end.
struct TimedFamily {
    private struct Series {
        var labels: Labels
        var values: [(milliseconds: Int64, value: MetricValue)] = []
    }

    private var family: MetricFamily?
    /// Of the first series: the next one of the same millisecond takes its place.
    private var held: TimedSample?
    private var others: [Series] = []
    private var indices: [Labels: Int] = [:]

    /// Takes the samples of one moment in, and returns what can be printed.
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

    /// What is left to print, in parts.
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
