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
