/// A network device: Apple's `NWInterface`, with what Linux adds.
public struct Interface: Sendable, Hashable {
    /// The name, such as `eth0`; it can change.
    public var name: String
    /// The index, unique within the network namespace.
    public var index: Int
    /// The type.
    public var type: InterfaceType
    /// Made by software: a VLAN, bond, bridge, veth or tunnel.
    public var isVirtual: Bool
    /// It wraps packets and sends them over another device, its underlay.
    public var isTunnel: Bool
    /// A phone shares its connection over it.
    public var isTether: Bool
    /// The negotiated speed in bits per second; nil where unknown, and for virtual devices, whose number has no meaning.
    public var linkSpeed: UInt64?
    /// It connects two hosts, as a tunnel, PPP or a modem does (IFF_POINTOPOINT).
    public var isPointToPoint: Bool

    /// A device.
    public init(
        name: String,
        index: Int,
        type: InterfaceType,
        isVirtual: Bool = false,
        isTunnel: Bool = false,
        isTether: Bool = false,
        linkSpeed: UInt64? = nil,
        isPointToPoint: Bool = false
    ) {
        self.name = name
        self.index = index
        self.type = type
        self.isVirtual = isVirtual
        self.isTunnel = isTunnel
        self.isTether = isTether
        self.linkSpeed = linkSpeed
        self.isPointToPoint = isPointToPoint
    }

    /// What a device is, by Apple's numbers.
    public enum InterfaceType: Int, Sendable, CaseIterable {
        /// A tunnel, or something rare.
        case other = 0
        /// The loopback.
        case loopback = 1
        /// Wi-Fi.
        case wifi = 2
        /// A modem.
        case cellular = 3
        /// Ethernet, a virtual cable included.
        case wiredEthernet = 4
        /// Unknown, as without a readable sysfs (not among Apple's).
        case unknown = -1
    }
}
