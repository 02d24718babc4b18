package import NetworkPath
import Posix

/// What the views show of one uplink.
package struct UplinkReport: Sendable, Equatable {
    package var name: String
    package var provider: String?
    /// nil while the host has no such device.
    package var interface: Interface?
    /// By preference; empty on a link without one.
    package var routers: [String]
    /// Whether the kernel has a default route over it.
    package var hasRoute: Bool
    /// Whether traffic leaves here now.
    package var isActive: Bool
    /// Whether it is the one in use, or the first of several.
    package var isPrimary = false
    /// Whether it is the only one in use: its latency is that of the network.
    package var isAlone: Bool
    /// Why it is not probed; nil: it is, or the path is checked.
    package var obstacle: UplinkObstacle?
    /// nil: unknown.
    package var isOnline: Bool?
    package var cause: OutageCause?
    package var downSince: SuspendingClock.Instant?
    /// nil: unknown.
    package var isExpensive: Bool?
    package var latency: Duration?
    package var lossRatio: Double?
    /// When it last reached the internet by a probe; nil: not yet, or it is alone in use, where the path is checked.
    package var answeredAt: SuspendingClock.Instant?
    package var outages: UInt64
    package var offline: Duration
    package var active: Duration
    /// Times that the path was switched to it.
    package var switches: UInt64
    /// Times that the way behind its router changed, by what showed it first.
    package var switchesInside: [UplinkSwitchSource: UInt64]

    /// Who knows it.
    package enum Origin: Sendable, Equatable {
        case here
        /// The exporter of the host.
        case host
        /// The exporter of the host, which does not answer: nothing but its name is known.
        case silentHost
    }

    package var origin = Origin.here

    /// One of the host, of which nothing is known yet.
    package init(adopted name: String) {
        (self.name, origin) = (name, .host)
        (routers, hasRoute, isActive, isAlone) = ([], false, false, false)
        (outages, offline, active, switches, switchesInside) = (0, .zero, .zero, 0, [:])
    }

    /// The same after the host's exporter has fallen silent.
    package var silent: UplinkReport {
        var report = UplinkReport(adopted: name)
        report.origin = .silentHost
        return report
    }

    init(_ record: UplinkRecord, isExpensive: Bool?) {
        name = record.name
        provider = record.rule?.provider
        interface = record.way?.interface
        routers = [AddressFamily.ipv4, .ipv6].compactMap { record.way?.routers[$0]?.map { "\($0)" } }
        (hasRoute, isActive, isAlone) = (record.hasRoute, record.isActive, record.use == .alone)
        obstacle = record.obstacle
        (isOnline, cause, downSince) = (record.isOnline, record.cause, record.downSince)
        self.isExpensive = isExpensive
        (latency, lossRatio) = (record.latency, record.lossRatio)
        answeredAt = record.answeredAt
        (outages, offline, active, switches) = (record.outages, record.offline, record.active, record.switches)
        switchesInside = record.switchesInside
    }

    /// The name of the device.
    package var device: String? { interface?.name }

    /// Whether all traffic leaves over it, also below a tunnel: no other uplink but a tunnel is in use.
    package func carriesAll(of path: Path, among uplinks: [UplinkReport]) -> Bool {
        // The path may lead elsewhere already.
        guard isActive, let device, path.carriers.contains(where: { $0.name == device }) else { return false }
        return isAlone || !uplinks.contains { $0.name != name && $0.isActive && $0.interface?.isTunnel != true }
    }
}
