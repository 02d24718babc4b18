public import FoundationEssentials

/// What is known about the network at one instant.
public struct NetworkSnapshot: Sendable {
    /// How good it is: measured where `downloadSpeedMbps` is set, else estimated from the path.
    public var quality: NetworkQuality
    /// Over what kind of interface.
    public var connectionType: ConnectionType
    /// Whether the direct interface or what it stands on costs money by use.
    public var isExpensive: Bool
    /// Whether the user asked to save data here.
    public var isConstrained: Bool
    /// The interface that carries traffic, such as `wlan0`; nil without one.
    public var interfaceName: String?
    /// When this was true.
    public var timestamp: Date
    /// Megabits (10⁶) a second; nil where nothing was measured on this uplink.
    public var downloadSpeedMbps: Double?
    /// Megabits (10⁶) a second; nil where nothing was measured on this uplink.
    public var uploadSpeedMbps: Double?
    /// Round trip in seconds; nil where nothing was measured.
    public var latency: TimeInterval?

    /// A snapshot of your own, for a test or a preview.
    public init(
        quality: NetworkQuality,
        connectionType: ConnectionType,
        isExpensive: Bool,
        isConstrained: Bool,
        interfaceName: String? = nil,
        timestamp: Date,
        downloadSpeedMbps: Double? = nil,
        uploadSpeedMbps: Double? = nil,
        latency: TimeInterval? = nil
    ) {
        self.quality = quality
        self.connectionType = connectionType
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
        self.interfaceName = interfaceName
        self.timestamp = timestamp
        self.downloadSpeedMbps = downloadSpeedMbps
        self.uploadSpeedMbps = uploadSpeedMbps
        self.latency = latency
    }
}

extension NetworkSnapshot {
    /// Whether anything but the time and the latency is different.
    func differs(from other: NetworkSnapshot?) -> Bool {
        guard let other else { return true }
        return quality != other.quality || connectionType != other.connectionType || isExpensive != other.isExpensive
            || isConstrained != other.isConstrained || interfaceName != other.interfaceName
            || downloadSpeedMbps != other.downloadSpeedMbps || uploadSpeedMbps != other.uploadSpeedMbps
    }
}

/// Over what kind of interface this host is connected; a tunnel counts as what it stands on.
public enum ConnectionType: String, Sendable, Codable, CaseIterable {
    case wifi
    case cellular
    case ethernet
    case other
    case unknown
}

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

/// Whether the kernel has a usable path, and if not, why in one word.
public enum NetworkStatus: String, Sendable, Codable, CaseIterable, CustomStringConvertible {
    /// The path is satisfied.
    case connected
    /// There is no route, or the link is down.
    case disconnected
    /// Somebody is about to connect, or could: an address is on its way, a modem is registered.
    case requiresConnection = "requires_connection"
    /// Something else is in the way: policy, a tunnel without an underlay, a radio switched off.
    case unsatisfied

    /// True for `connected` alone.
    public var isConnected: Bool { self == .connected }

    /// A few words for people.
    public var description: String {
        switch self {
        case .connected: "connected"
        case .disconnected: "disconnected"
        case .requiresConnection: "requires connection"
        case .unsatisfied: "unsatisfied"
        }
    }
}
