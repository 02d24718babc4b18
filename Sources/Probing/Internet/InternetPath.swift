package import Posix

/// The path, as far as the internet monitor needs it.
package struct InternetPath: Sendable, Equatable {
    package var generation: UInt64
    package var isSatisfied: Bool
    package var isExpensive: Bool
    package var isConstrained: Bool
    /// Those that the path has routes for.
    package var families: Set<AddressFamily>
    package var gateways: [ProbeContext.Gateway]
    /// The device of the path and, for a tunnel, the underlying interface.
    package var interfaces: Set<Int>
    /// All devices that packets may leave through; nil: not known, as with several next hops.
    package var devices: Set<Int>?
    /// The URI of the captive portal's API (RFC 8908) that a router announces; nil where none does.
    package var portal: String?
    /// The name servers of this host.
    package var nameservers: [IPAddress]

    package init(
        generation: UInt64,
        isSatisfied: Bool,
        isExpensive: Bool = false,
        isConstrained: Bool = false,
        families: Set<AddressFamily> = [],
        gateways: [ProbeContext.Gateway] = [],
        interfaces: Set<Int> = [],
        devices: Set<Int>? = nil,
        portal: String? = nil,
        nameservers: [IPAddress] = []
    ) {
        self.portal = portal
        self.nameservers = nameservers
        (self.interfaces, self.devices) = (interfaces, devices)
        self.generation = generation
        self.isSatisfied = isSatisfied
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
        self.families = families
        self.gateways = gateways
    }
}

extension InternetPath {
    /// The devices and routers that packets leave through: measurements belong to them.
    struct Uplink: Sendable, Equatable {
        var gateways: [ProbeContext.Gateway]
        var interfaces: Set<Int>
    }

    var uplink: Uplink { Uplink(gateways: gateways, interfaces: interfaces) }

    /// Whether probes that find the place of a fault may be sent over it.
    func allowsProbes(onExpensive: Bool, onConstrained: Bool) -> Bool {
        isSatisfied && (onExpensive || !isExpensive) && (onConstrained || !isConstrained)
    }

    /// Whether packets can be sent.
    var carries: Bool { isSatisfied && !families.isEmpty }

    /// Whether nothing else has changed.
    func differsOnlyByPortal(from other: Self) -> Bool {
        guard portal != other.portal else { return false }
        var same = other
        (same.portal, same.generation) = (portal, generation)
        return self == same
    }

    /// Whether packets take the same route as before.
    func leads(likewise other: Self) -> Bool {
        isSatisfied == other.isSatisfied && families == other.families && uplink == other.uplink
    }
}
