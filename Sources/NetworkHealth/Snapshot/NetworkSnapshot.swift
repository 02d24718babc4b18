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
