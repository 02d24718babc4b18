package import Posix

/// Which routers on the way are probed, and how often.
package struct HopConfiguration: Sendable, Equatable {
    /// The distances that a probe can be sent to.
    package static let distances = 1...16

    /// Between two probes to each of them in calm times; a second at least.
    package var interval: Duration = .seconds(300)
    /// The farthest distance that is looked for.
    package var maxHops = 4
    /// The distance of the provider's first router, which is always among those that are probed; nil: the second.
    package var firstProviderHop: Int?
    /// Whether probes are sent on an expensive path, and on a constrained one.
    package var runsOnExpensive = false
    package var runsOnConstrained = false
    /// How long a probe waits: a router says only after 3 s that its next hop does not answer (RFC 4861; ARP likewise).
    package var timeout: Duration = .seconds(4)
    /// Where the probes would end if they went farther than the hops: one of each family.
    package var destinations: [AddressFamily: IPAddress] = Self.destinations(
        among: InternetConfiguration().literals.map(\.ip)
    )

    package init() {}

    /// The UDP ports that the probes are sent to.
    package var ports: ClosedRange<UInt16> { HopMessage.port(of: 1)...HopMessage.port(of: max(1, maxHops)) }

    /// The first address of each family.
    package static func destinations(among addresses: [IPAddress]) -> [AddressFamily: IPAddress] {
        Dictionary(addresses.map { ($0.family, $0) }) { first, _ in first }
    }
}

/// What decides how often hops are probed; the shell of the exporter knows it.
package enum HopMode: Sendable, Hashable {
    case calm
    /// A speed test runs.
    case speedTest
    /// The internet is not reachable.
    case offline
    /// Packets are lost, or slow, over this family; nil: over either.
    case degraded(AddressFamily?)

    var isDegraded: Bool { if case .degraded = self { true } else { false } }
}
