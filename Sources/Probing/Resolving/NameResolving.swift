package import Posix

/// Whoever finds the addresses of a name: the seam between the probes and the resolver.
package protocol NameResolving: Sendable {
    /// The addresses in the resolver's order, never none; a literal one, also `fe80::1%eth0`, comes back at once.
    func addresses(
        of host: String,
        family: AddressFamily?,
        until deadline: ContinuousClock.Instant
    ) async throws(ProbeFailure) -> [ResolvedAddress]
}
