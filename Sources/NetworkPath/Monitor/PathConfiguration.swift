package import Posix

/// What a `PathMonitor` reads, and by which rules it decides.
public struct PathConfiguration: Sendable, Equatable {
    /// The user's decisions: expensive, constrained.
    public var policy = PathPolicy()
    /// How long changes are held back before they are published.
    public var timings = SettleTimings()
    /// Where sysfs is mounted.
    public var sysfsRoot = "/sys"
    /// Where the kernel's settings are mounted; those of its network belong to the namespace of the thread that reads them.
    package var sysctlRoot = "/proc/sys"
    /// The file of the resolvers, resolv.conf(5).
    public var resolvConf = "/etc/resolv.conf"
    /// The file in which systemd-resolved lists the servers behind its own address.
    public var resolvedConf = "/run/systemd/resolve/resolv.conf"
    /// Whether to ask NetworkManager for the cost of devices.
    public var watchesNetworkManager = true
    /// The D-Bus address on which NetworkManager is found; nil for the system bus.
    public var busAddress: String?
    /// The size of the kernel's buffer for events, in bytes.
    ///
    /// When it is full, everything is read again.
    public var receiveBuffer = 1 << 20
    /// How often everything is read again and compared with what events reported.
    public var driftInterval = Duration.seconds(300)
    /// How often the counters of the path's devices are read without a request for them.
    ///
    /// Reading them wakes the monitor's thread and takes a fifth of a millisecond.
    public var countersInterval = Duration.seconds(4)

    /// Reads this machine's kernel with the default rules.
    public init() {}
}

/// The user's decisions about the path.
public struct PathPolicy: Sendable, Equatable {
    /// Whether each device is expensive or none is; nil: NetworkManager and the type of the device decide.
    public var expensive: Bool?
    /// Whether each device is for low data use.
    public var constrained = false
    /// Exceptions for single devices; the first rule whose glob matches is the only one that applies.
    public var rules: [Rule] = []
    /// What the uplinks that the configuration names cost, where no rule decides; the first that matches applies.
    package var uplinkCosts: [UplinkCost] = []
    /// Where the devices are seen from; nil: what the devices say.
    public var viewpoint: Path.Viewpoint?
    /// Decisions that take priority over all others.
    package var flags = Flags()
    /// What the exporter of the host reports about the path behind a container's cable; nil where none is followed, and
    /// while it does not answer.
    package var host: HostFacts?
    /// The content of `path.expensive_file`, which applies where `expensive` is nil; nil where it has none.
    package var fileVerdict: Bool?
    /// The addresses whose routes are looked up; no packet is sent to them.
    package var anchors: [AddressFamily: IPAddress] = defaultAnchors

    /// The addresses that uplinks are probed with, whose routes the kernel is asked for; without one of a family its anchor.
    package var probed: [AddressFamily: IPAddress] = [:]

    func destination(_ family: AddressFamily) -> IPAddress? { probed[family] ?? anchors[family] }

    /// Nothing decided.
    public init() {}

    /// The decisions of the command line; nil leaves it to the other sources.
    package struct Flags: Sendable, Equatable {
        package var expensive: Bool?
        package var constrained: Bool?

        package init(expensive: Bool? = nil, constrained: Bool? = nil) {
            (self.expensive, self.constrained) = (expensive, constrained)
        }
    }

    /// A host's path, as the containers on it adopt it.
    package struct HostFacts: Sendable, Equatable {
        /// The device that carries the host's traffic; nil without one.
        package var device: String?
        /// Its type, for a tunnel that of its underlying interface.
        package var type: Interface.InterfaceType
        /// nil: unknown.
        package var isExpensive: Bool?
        /// nil: unknown.
        package var isConstrained: Bool?

        package init(
            device: String? = nil,
            type: Interface.InterfaceType = .unknown,
            isExpensive: Bool? = nil,
            isConstrained: Bool? = nil
        ) {
            (self.device, self.type) = (device, type)
            (self.isExpensive, self.isConstrained) = (isExpensive, isConstrained)
        }
    }

    /// The decision for the devices by which an uplink is recognised; one recognised by its public address decides none, since the path does
    /// not know that address.
    package struct UplinkCost: Sendable, Equatable {
        package var match: UplinkMatch
        package var isExpensive: Bool

        package init(_ match: UplinkMatch, isExpensive: Bool) {
            (self.match, self.isExpensive) = (match, isExpensive)
        }
    }

    /// The decisions for the devices of one name pattern; nil leaves it to the general setting.
    public struct Rule: Sendable, Equatable {
        /// A glob (fnmatch(3)) for the device name: `wwan*`.
        public var interfaceGlob: String
        /// Whether the device is expensive.
        public var expensive: Bool?
        /// Whether the device is for low data use.
        public var constrained: Bool?

        /// A rule.
        public init(interfaceGlob: String, expensive: Bool? = nil, constrained: Bool? = nil) {
            self.interfaceGlob = interfaceGlob
            self.expensive = expensive
            self.constrained = constrained
        }
    }

    /// Any stable global address serves; these are Cloudflare's resolvers.
    package static let defaultAnchors: [AddressFamily: IPAddress] =
        [.ipv4: "1.1.1.1", .ipv6: "2606:4700:4700::1111"].compactMapValues { IPAddress($0) }
}

/// How long changes are held back before they are published.
public struct SettleTimings: Sendable, Equatable {
    /// The time without an event of the kernel that ends a burst of events.
    public var quiet: Duration = .milliseconds(50)
    /// A burst is evaluated after this time even if it goes on.
    public var max: Duration = .milliseconds(250)
    /// How long a lost carrier must stay lost.
    public var downHold: Duration = .seconds(1)
    /// How long a recovery must last.
    public var upHold: Duration = .milliseconds(300)

    /// The default timings.
    public init() {}
}
