package import Posix

/// What lies behind the path, on the evidence so far.
package struct InternetVerdict: Sendable, Equatable {
    package var state: InternetState
    /// Of each family that the path carries.
    package var families: [AddressFamily: InternetState]
    /// What an outage is put down to; nil while the internet is there.
    package var cause: InternetCause?
    /// When the first evidence for this state arrived: an outage is counted from here.
    package var evidenceAt: SuspendingClock.Instant
    /// A round has failed and is being repeated; the state is still the one before.
    package var isSuspect: Bool
    /// Of which path this is true: the generation given with it.
    package var generation: UInt64

    package init(
        state: InternetState,
        families: [AddressFamily: InternetState] = [:],
        cause: InternetCause? = nil,
        evidenceAt: SuspendingClock.Instant,
        isSuspect: Bool = false,
        generation: UInt64
    ) {
        self.state = state
        self.families = families
        self.cause = cause
        self.evidenceAt = evidenceAt
        self.isSuspect = isSuspect
        self.generation = generation
    }
}

/// The states of the internet; the raw values are labels.
package enum InternetState: String, Sendable, CaseIterable {
    case online
    /// There, but losing packets.
    case degraded
    /// A portal wants a login first.
    case captive
    /// Addresses answer, names do not resolve.
    case dnsBroken = "dns_broken"
    /// Nothing beyond this network answers.
    case localOnly = "local_only"
    /// The kernel has no path to try.
    case noPath = "no_path"
    /// Nothing was asked yet.
    case unknown

    /// Whether traffic gets through.
    package var isOnline: Bool { self == .online || self == .degraded }
}

/// What keeps the internet away.
package enum InternetCause: String, Sendable, CaseIterable {
    case gateway, dns, upstream, captive
}

/// The path as the internet monitor must know it.
package struct InternetPath: Sendable, Equatable {
    package var generation: UInt64
    package var isSatisfied: Bool
    package var isExpensive: Bool
    package var isConstrained: Bool
    /// Those that the path carries.
    package var families: Set<AddressFamily>
    package var gateways: [ProbeContext.Gateway]
    /// The device, and below a tunnel the one it stands on.
    package var interfaces: Set<Int>
    /// The URI of the captive portal's API (RFC 8908) that a router announces; nil where none does.
    package var portal: String?

    package init(
        generation: UInt64,
        isSatisfied: Bool,
        isExpensive: Bool = false,
        isConstrained: Bool = false,
        families: Set<AddressFamily> = [],
        gateways: [ProbeContext.Gateway] = [],
        interfaces: Set<Int> = [],
        portal: String? = nil
    ) {
        self.portal = portal
        self.interfaces = interfaces
        self.generation = generation
        self.isSatisfied = isSatisfied
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
        self.families = families
        self.gateways = gateways
    }
}

extension InternetPath {
    /// The devices and routers that packets leave by: a measurement belongs to them.
    struct Uplink: Sendable, Equatable {
        var gateways: [ProbeContext.Gateway]
        var interfaces: Set<Int>
    }

    var uplink: Uplink { Uplink(gateways: gateways, interfaces: interfaces) }
}
