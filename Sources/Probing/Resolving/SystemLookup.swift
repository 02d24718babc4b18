import Glibc
import Posix

/// What the system's resolver says of a name.
enum SystemLookup {
    /// Looks a name up; empty where nothing is found.
    ///
    /// Blocks, for tens of seconds where no server answers.
    static func addresses(of host: String, family: AddressFamily?) -> [ResolvedAddress] {
        HostLookup.entries(of: host, family: family?.number ?? AF_UNSPEC).compactMap { entry in
            IPAddress(bytes: entry.bytes).map { ResolvedAddress(address: $0, scope: entry.scope) }
        }
    }
}
