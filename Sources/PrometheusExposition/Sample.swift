/// One series of a gauge, counter or unknown family: its labels and its value.
public struct Sample: Sendable, Hashable {
    /// The labels of this series.
    public var labels: Labels
    /// The number.
    public var value: MetricValue

    /// One series, as in `Sample(labels: ["device": "eth0"], 12)`.
    public init(labels: Labels = [:], _ value: some MetricValueConvertible) {
        self.labels = labels
        self.value = value.metricValue
    }

    /// One series for each state, 1 for the active one and 0 for the others; all 0 when none is active.
    ///
    /// `labels` come before the state's label, for families that hold several state sets.
    public static func stateSet(
        labels: Labels = [:],
        label: String,
        states: some Sequence<String>,
        active: String?
    ) -> [Sample] {
        states.map { state in
            var all = labels
            all.append(label, state)
            return Sample(labels: all, state == active)
        }
    }

    /// One series for each case of an enumeration, 1 for the active one and 0 for the others.
    public static func stateSet<State>(labels: Labels = [:], label: String, active: State?) -> [Sample]
    where State: CaseIterable & RawRepresentable, State.RawValue == String {
        stateSet(labels: labels, label: label, states: State.allCases.map(\.rawValue), active: active?.rawValue)
    }
}

/// One series of a histogram family.
public struct HistogramSample: Sendable, Hashable {
    /// The labels of this series, without `le`.
    public var labels: Labels
    /// The observations so far.
    public var histogram: Histogram

    /// One series, as in `HistogramSample(labels: ["target": "dns"], histogram)`.
    public init(labels: Labels = [:], _ histogram: Histogram) {
        self.labels = labels
        self.histogram = histogram
    }
}

/// A sample of the past with its time.
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

/// One sample's number.
///
/// Integers stay integers: a 64-bit byte counter keeps its digits above 2^53.
public enum MetricValue: Sendable, Hashable {
    /// A floating-point number, infinities and NaN included.
    case double(Double)
    /// A whole number that may be negative.
    case signed(Int64)
    /// A whole number, such as a kernel counter.
    case unsigned(UInt64)
}

/// A type of sample values: numbers, `Bool` as 0 or 1, `Duration` in seconds.
public protocol MetricValueConvertible {
    /// The number that is printed.
    var metricValue: MetricValue { get }
}

extension MetricValue: MetricValueConvertible {
    /// The value itself.
    public var metricValue: MetricValue { self }
}

extension Double: MetricValueConvertible {
    /// The number as it is.
    public var metricValue: MetricValue { .double(self) }
}

extension Int: MetricValueConvertible {
    /// The exact number.
    public var metricValue: MetricValue { .signed(Int64(self)) }
}

extension Int64: MetricValueConvertible {
    /// The exact number.
    public var metricValue: MetricValue { .signed(self) }
}

extension UInt64: MetricValueConvertible {
    /// The exact number.
    public var metricValue: MetricValue { .unsigned(self) }
}

extension UInt32: MetricValueConvertible {
    /// The exact number.
    public var metricValue: MetricValue { .unsigned(UInt64(self)) }
}

extension Bool: MetricValueConvertible {
    /// 1 for true, 0 for false.
    public var metricValue: MetricValue { .unsigned(self ? 1 : 0) }
}

extension Duration: MetricValueConvertible {
    /// The duration in seconds, the base unit of time in metrics.
    public var metricValue: MetricValue { .double(self / .seconds(1)) }
}
