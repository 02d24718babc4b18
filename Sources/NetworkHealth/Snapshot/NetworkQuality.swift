/// How good the network is, from the measured download speed where there is one.
///
/// `excellent` from 50 Mbps, `good` from 10, `moderate` from 1, `poor` below; `offline` without a connection.
public enum NetworkQuality: String, Sendable, Codable, CaseIterable, Comparable {
    case excellent
    case good
    case moderate
    case poor
    case offline

    /// 0 (offline) to 4 (excellent).
    public var level: Int {
        switch self {
        case .excellent: 4
        case .good: 3
        case .moderate: 2
        case .poor: 1
        case .offline: 0
        }
    }

    /// Whether this is as good as `other` or better.
    public func isAtLeast(_ other: NetworkQuality) -> Bool { self >= other }

    /// Orders by how good it is: `offline` is the least.
    public static func < (left: NetworkQuality, right: NetworkQuality) -> Bool { left.level < right.level }
}
