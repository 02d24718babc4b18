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
