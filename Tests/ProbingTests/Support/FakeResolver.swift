import Posix
import Probing

/// Resolves the given names, and literal addresses.
struct FakeResolver: NameResolving {
    var names: [String: [ResolvedAddress]] = [:]

    func addresses(
        of host: String,
        family: AddressFamily?,
        until deadline: ContinuousClock.Instant
    ) async throws(ProbeFailure) -> [ResolvedAddress] {
        let known = names[host] ?? IPAddress(host).map { [ResolvedAddress(address: $0)] } ?? []
        let wanted = known.filter { family == nil || $0.address.family == family }
        guard !wanted.isEmpty else { throw .resolve }
        return wanted
    }
}

extension ResolvedAddress {
    /// A literal address of a test.
    init(_ text: String) {
        guard let address = IPAddress(text) else { preconditionFailure("\(text) is no address") }
        self.init(address: address)
    }
}
