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

/// What a family's samples mean to Prometheus.
public enum MetricType: Sendable, Hashable {
    /// A value that goes up and down.
    case gauge
    /// A value that only grows; its name ends in `_total`.
    case counter
    /// Observations counted in buckets.
    case histogram
    /// A value whose meaning is not known; text 0.0.4 calls it `untyped`.
    case unknown
}

extension MetricFamily {
    /// A gauge without labels; nil is no series.
    public static func gauge(_ name: String, help: String, value: (some MetricValueConvertible)?) -> MetricFamily {
        MetricFamily(name, .gauge, help: help, samples: value.map { [Sample($0)] } ?? [])
    }

    /// A gauge with labels.
    public static func gauge(_ name: String, help: String, samples: [Sample]) -> MetricFamily {
        MetricFamily(name, .gauge, help: help, samples: samples)
    }

    /// A counter without labels, its name ending in `_total`; nil is no series.
    public static func counter(_ name: String, help: String, value: (some MetricValueConvertible)?) -> MetricFamily {
        MetricFamily(name, .counter, help: help, samples: value.map { [Sample($0)] } ?? [])
    }

    /// A counter with labels, its name ending in `_total`.
    public static func counter(_ name: String, help: String, samples: [Sample]) -> MetricFamily {
        MetricFamily(name, .counter, help: help, samples: samples)
    }

    /// A value of unknown meaning.
    public static func unknown(_ name: String, help: String, samples: [Sample]) -> MetricFamily {
        MetricFamily(name, .unknown, help: help, samples: samples)
    }

    /// A histogram without labels; nil is no series.
    public static func histogram(_ name: String, help: String, value: Histogram?) -> MetricFamily {
        MetricFamily(name, .histogram, help: help, histograms: value.map { [HistogramSample($0)] } ?? [])
    }

    /// A histogram with labels.
    public static func histogram(_ name: String, help: String, samples: [HistogramSample]) -> MetricFamily {
        MetricFamily(name, .histogram, help: help, histograms: samples)
    }

    /// A gauge for each state, 1 for the active one and 0 for the others; all 0 when none is active.
    public static func stateSet(
        _ name: String,
        help: String,
        label: String,
        states: some Sequence<String>,
        active: String?
    ) -> MetricFamily {
        .gauge(name, help: help, samples: Sample.stateSet(label: label, states: states, active: active))
    }

    /// A gauge for each case of an enumeration, 1 for the active one and 0 for the others.
    public static func stateSet<State>(_ name: String, help: String, label: String, active: State?) -> MetricFamily
    where State: CaseIterable & RawRepresentable, State.RawValue == String {
        .gauge(name, help: help, samples: Sample.stateSet(label: label, active: active))
    }

    /// A gauge of 1 whose labels are the information, its name ending in `_info`; nil is no series.
    public static func info(_ name: String, help: String, labels: Labels?) -> MetricFamily {
        .info(name, help: help, labels: labels.map { [$0] } ?? [])
    }

    /// A gauge of 1 for each set of labels, its name ending in `_info`.
    public static func info(_ name: String, help: String, labels: [Labels]) -> MetricFamily {
        assert(name.hasSuffix("_info"), "\(name): the name of an information metric ends in _info")
        return .gauge(name, help: help, samples: labels.map { Sample(labels: $0, 1) })
    }
}
