public import FoundationEssentials

/// The network at one instant.
///
/// ```swift
/// for await snapshot in NetworkHealth.stream() where snapshot.quality.isAtLeast(.moderate) && snapshot.isUnmetered {
///     // Time for the large download.
/// }
/// ```
public struct NetworkSnapshot: Sendable {
    /// By the download that was measured on this uplink, else estimated from the path.
    public var quality: NetworkQuality
    /// The type of the interface.
    public var connectionType: ConnectionType
    /// Whether the interface, or the one under a tunnel, charges for use; false where that is not known, see ``isCostKnown``.
    public var isExpensive: Bool
    /// Whether the user asked to save data on this network.
    public var isConstrained: Bool
    /// Whether ``isExpensive`` is known: in a container it is not, since the devices that cost money are the host's.
    public var isCostKnown: Bool
    /// The name of the interface that carries traffic, such as `wlan0`; nil without one.
    public var interfaceName: String?
    /// When the snapshot was taken.
    public var timestamp: Date
    /// In megabits (10⁶ bits) per second; nil if not measured on this uplink.
    public var downloadSpeedMbps: Double?
    /// In megabits (10⁶ bits) per second; nil if not measured on this uplink.
    public var uploadSpeedMbps: Double?
    /// The round-trip time in seconds, of the test that measured the speeds; nil if not measured.
    public var latency: TimeInterval?
    /// When this state began: the last change of any field but the times and the latency.
    ///
    /// nil: at `timestamp`.
    public var since: Date?

    /// Whether data can be used freely: the cost is known, and the network is neither expensive nor constrained.
    ///
    /// The gate for a large transfer: `guard snapshot.isUnmetered else { return }`.
    public var isUnmetered: Bool { isCostKnown && !isExpensive && !isConstrained }

    /// Creates a snapshot, for a test or a preview.
    public init(
        quality: NetworkQuality,
        connectionType: ConnectionType,
        isExpensive: Bool,
        isConstrained: Bool,
        interfaceName: String? = nil,
        timestamp: Date,
        downloadSpeedMbps: Double? = nil,
        uploadSpeedMbps: Double? = nil,
        latency: TimeInterval? = nil,
        since: Date? = nil,
        isCostKnown: Bool = true
    ) {
        self.quality = quality
        self.connectionType = connectionType
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
        self.isCostKnown = isCostKnown
        self.interfaceName = interfaceName
        self.timestamp = timestamp
        self.downloadSpeedMbps = downloadSpeedMbps
        self.uploadSpeedMbps = uploadSpeedMbps
        self.latency = latency
        self.since = since
    }
}

extension NetworkSnapshot {
    /// The snapshot of a network that could not be evaluated: its quality is the estimate of an unknown type.
    static func unknown(at date: Date) -> NetworkSnapshot {
        NetworkSnapshot(
            quality: .moderate,
            connectionType: .unknown,
            isExpensive: false,
            isConstrained: false,
            timestamp: date,
            isCostKnown: false
        )
    }

    /// Whether any field except the times and the latency differs.
    func differs(from other: NetworkSnapshot?) -> Bool {
        guard let other else { return true }
        return quality != other.quality || connectionType != other.connectionType || isExpensive != other.isExpensive
            || isConstrained != other.isConstrained || isCostKnown != other.isCostKnown
            || interfaceName != other.interfaceName
            || downloadSpeedMbps != other.downloadSpeedMbps || uploadSpeedMbps != other.uploadSpeedMbps
    }
}

/// The type of the interface over which this host is connected; a tunnel has that of the interface under it.
public enum ConnectionType: String, Sendable, Codable, CaseIterable {
    /// A radio of IEEE 802.11.
    case wifi
    /// A modem.
    case cellular
    /// A cable.
    case ethernet
    /// A known interface of another kind.
    case other
    /// The kernel does not show it, as in a container, or cannot be read.
    case unknown
}

/// The quality of the network, by its measured download speed where there is one.
///
/// `excellent` from 50 Mbps, `good` from 10, `moderate` from 1, `poor` below; `offline` without a connection.
public enum NetworkQuality: String, Sendable, Codable, CaseIterable, Comparable {
    /// 50 Mbps or more; never an estimate.
    case excellent
    /// 10 Mbps or more.
    case good
    /// 1 Mbps or more.
    case moderate
    /// Less than 1 Mbps.
    case poor
    /// No connection.
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

    /// Whether this quality is `other` or better.
    public func isAtLeast(_ other: NetworkQuality) -> Bool { self >= other }

    /// Orders by `level`: `offline` is the lowest.
    public static func < (left: NetworkQuality, right: NetworkQuality) -> Bool { left.level < right.level }
}

/// Whether the kernel has a usable path, and the kind of reason if not.
public enum NetworkStatus: String, Sendable, Codable, CaseIterable, CustomStringConvertible {
    /// The path is satisfied.
    case connected
    /// There is no route, or the link is down.
    case disconnected
    /// A connection is being made or could be: an address is being assigned, a modem is registered.
    case requiresConnection = "requires_connection"
    /// Any other reason: policy, a tunnel without an underlying interface, a radio that is switched off, a kernel that
    /// cannot be read.
    case unsatisfied

    /// True for `connected` alone.
    public var isConnected: Bool { self == .connected }

    /// Readable text, such as `requires connection`.
    public var description: String {
        switch self {
        case .connected: "connected"
        case .disconnected: "disconnected"
        case .requiresConnection: "requires connection"
        case .unsatisfied: "unsatisfied"
        }
    }
}
