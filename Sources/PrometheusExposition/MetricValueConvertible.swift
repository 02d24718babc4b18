/// What can stand as a sample's value: numbers, `Bool` as 0 or 1, `Duration` in seconds.
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
