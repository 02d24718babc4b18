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
