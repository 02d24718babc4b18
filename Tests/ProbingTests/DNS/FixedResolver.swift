import Posix
import Probing

/// Resolves a few names, and literal addresses.
struct FixedResolver: NameResolving {
    var addresses: [String: [ResolvedAddress]] = [:]
    var failure = ProbeFailure.resolve

    func addresses(
        of host: String,
        family: AddressFamily?,
        until deadline: ContinuousClock.Instant
    ) async throws(ProbeFailure) -> [ResolvedAddress] {
        if let address = IPAddress(host) { return [ResolvedAddress(address: address)] }
        guard let known = addresses[host] else { throw failure }
        return known.filter { family == nil || $0.address.family == family }
    }
}
