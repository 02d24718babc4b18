import Glibc
import Posix
import Probing

/// Resolves a few names, and literal addresses.
struct FixedResolver: NameResolving {
    var addresses: [String: [SocketAddress]] = [:]
    var failure = LookupError.noAddress(EAI_NONAME)

    func addresses(
        of host: String,
        family: AddressFamily?,
        until deadline: ContinuousClock.Instant
    ) async throws(LookupError) -> [SocketAddress] {
        if let address = IPAddress(host) { return [SocketAddress(address)] }
        guard let known = addresses[host] else { throw failure }
        return known.filter { family == nil || $0.ip.family == family }
    }
}
