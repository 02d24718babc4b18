import Glibc
import Posix
import Probing

/// Resolves the given names, and literal addresses.
struct FakeResolver: NameResolving {
    var names: [String: [SocketAddress]] = [:]

    func addresses(
        of host: String,
        family: AddressFamily?,
        until deadline: ContinuousClock.Instant
    ) async throws(LookupError) -> [SocketAddress] {
        let known = names[host] ?? IPAddress(host).map { [SocketAddress($0)] } ?? []
        let wanted = known.filter { family == nil || $0.ip.family == family }
        guard !wanted.isEmpty else { throw .noAddress(EAI_NONAME) }
        return wanted
    }
}

extension SocketAddress {
    /// A literal address of a test.
    init(test text: String) {
        guard let place = HostPort(text), let ip = place.address else { preconditionFailure("\(text) is no address") }
        self.init(ip, port: place.port ?? 0)
    }
}
