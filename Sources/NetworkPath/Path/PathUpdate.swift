import Posix

/// One published change of the path.
public struct PathUpdate: Sendable, Equatable {
    /// The path from now on.
    public var path: Path
    /// What differs from the path published before; empty for the first.
    public var changes: Set<Field>
    /// Counts the published paths from 1: a path that left and came back is the same path under a new number.
    public var generation: UInt64
    /// When the first event of this change arrived; an outage is counted from here.
    public var evidenceAt: SuspendingClock.Instant
    /// When it was published.
    public var publishedAt: SuspendingClock.Instant
    /// What took the path away; nil while it is satisfied.
    package var downCause: DownCause?
    /// Whether the path is connecting, and it is too early after the start to count that as an outage.
    package var isSettling = false

    /// An update.
    public init(
        path: Path,
        changes: Set<Field>,
        generation: UInt64,
        evidenceAt: SuspendingClock.Instant,
        publishedAt: SuspendingClock.Instant
    ) {
        self.path = path
        self.changes = changes
        self.generation = generation
        self.evidenceAt = evidenceAt
        self.publishedAt = publishedAt
    }

    /// How long the change was held back to see whether it lasts.
    public var settleDelay: Duration { evidenceAt.duration(to: publishedAt) }

    /// A part of the path that changes; the raw values are labels of metrics.
    public enum Field: String, Sendable, CaseIterable {
        /// The status or its reason.
        case status
        /// The devices: the current one, the one below it, or those that could take over.
        case interface
        /// The type of the current device, or of the one below it.
        case type
        /// The cost.
        case expensive
        /// The low-data mark.
        case constrained
        /// The routers, the captive portal that one announces, or whether all of several can be used.
        case gateway
        /// The resolvers.
        case dns
        /// IPv4 came or went.
        case ipv4
        /// IPv6 came or went.
        case ipv6
    }

    /// What differs between two paths: empty exactly when they are equal.
    public static func difference(_ old: Path, _ new: Path) -> Set<Field> {
        var fields: Set<Field> = []
        func compare<Facts: Equatable>(_ field: Field, _ facts: (Path) -> Facts) {
            if facts(old) != facts(new) { fields.insert(field) }
        }
        compare(.status) { [$0.status.rawValue, $0.unsatisfiedReason?.rawValue] }
        compare(.interface) { path in path.devices.map { [$0?.name, $0.map { String($0.index) }] } }
        compare(.type) { [$0.interface?.type, $0.underlay?.type] }
        compare(.expensive) { [$0.isExpensive ? "yes" : "no", $0.expensiveSource.rawValue, $0.metered.rawValue] }
        compare(.constrained) { [$0.isConstrained ? "yes" : "no", $0.constrainedSource.rawValue] }
        compare(.gateway, \.gateways)
        compare(.gateway, \.standbyGateways)
        compare(.gateway, \.captivePortal)
        compare(.gateway) { [$0.isMultipath, $0.isDegraded] }
        compare(.dns, \.dnsServers)
        compare(.ipv4, \.supportsIPv4)
        compare(.ipv6, \.supportsIPv6)
        // Other facts belong to the devices too: a link speed, the viewpoint.
        if fields.isEmpty, old != new { fields.insert(.interface) }
        return fields
    }
}

extension Path {
    /// Each device that the path names, by role.
    fileprivate var devices: [Interface?] {
        [interface, ipv4Interface, ipv6Interface, underlay] + lowerInterfaces + availableInterfaces
    }
}
