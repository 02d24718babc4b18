package import Netlink

/// What a `PathMonitor` looks at, and by which rules it decides.
public struct PathConfiguration: Sendable, Equatable {
    /// The decisions that are the user's: expensive, constrained, the addresses looked up.
    package var policy = PathPolicy()
    /// How long to wait before a change is told.
    package var timings = SettleTimings()
    /// Where sysfs is mounted.
    package var sysfsRoot = "/sys"
    /// The resolver's configuration.
    package var resolvConf = "/etc/resolv.conf"
    /// Where systemd-resolved lists the servers behind its own address.
    package var resolvedConf = "/run/systemd/resolve/resolv.conf"
    /// Whether to ask NetworkManager for the cost of devices.
    package var watchesNetworkManager = true
    /// The bus to find it on; nil for the system bus.
    package var busAddress: String?
    /// The kernel's buffer for events, in bytes; a full one costs a resync.
    package var receiveBuffer = 1 << 20
    /// How often the whole state is read again and compared.
    package var driftInterval = Duration.seconds(300)
    /// How often the path's devices are read, for their byte counters and for a lost carrier.
    ///
    /// The kernel may announce that up to a second late (net/core/link_watch.c); its flags show it at once.
    package var countersInterval = Duration.milliseconds(400)

    /// Reads this machine's kernel with the default rules.
    public init() {}
}

/// What the user configured about the path.
package struct PathPolicy: Sendable, Equatable {
    /// Whether every device is expensive or none is; nil to find out.
    package var expensive: Bool?
    /// The word of `path.expensive_file`, which counts where `expensive` is nil; nil where it has none.
    package var fileVerdict: Bool?
    /// Whether every device is for low data use.
    package var constrained = false
    /// Exceptions for single devices; the first whose glob matches is the only one that counts.
    package var rules: [Rule] = []
    /// The addresses whose routes are looked up; no packet is sent to them.
    package var anchors: [AddressFamily: IPAddress] = defaultAnchors

    package init() {}

    /// What is set for the devices of one name pattern; nil leaves it to the general setting.
    package struct Rule: Sendable, Equatable {
        /// A glob (fnmatch(3)) for the device name: `wwan*`.
        package var interfaceGlob: String
        package var expensive: Bool?
        package var constrained: Bool?

        package init(interfaceGlob: String, expensive: Bool? = nil, constrained: Bool? = nil) {
            self.interfaceGlob = interfaceGlob
            self.expensive = expensive
            self.constrained = constrained
        }
    }

    /// Any stable global address does: these are Cloudflare's resolvers.
    package static let defaultAnchors: [AddressFamily: IPAddress] =
        [.ipv4: "1.1.1.1", .ipv6: "2606:4700:4700::1111"].compactMapValues { IPAddress($0) }
}

/// How long changes are watched before they are published.
package struct SettleTimings: Sendable, Equatable {
    /// Silence of the kernel that ends a burst of events.
    package var quiet: Duration = .milliseconds(50)
    /// A burst is evaluated after this time even if it goes on.
    package var max: Duration = .milliseconds(250)
    /// A lost carrier must stay lost for this long.
    package var downHold: Duration = .seconds(1)
    /// A recovery must last for this long.
    package var upHold: Duration = .milliseconds(300)

    package init() {}
}
