import CLinux
import Glibc

/// Where the kernel would send a packet.
package enum RouteLookup: Sendable, Hashable {
    case route(Route)
    /// No route matches (ENETUNREACH).
    case unreachable
    /// A blackhole route (EINVAL): packets vanish.
    case blackhole
    /// A prohibit route or rule (EACCES).
    case prohibited
    /// An unreachable route (EHOSTUNREACH).
    case hostUnreachable

    /// From a route in the answer: IPv6 answers with the refusing route where IPv4 answers with an errno.
    init(_ route: Route) {
        switch Int(route.kind) {
        case RTN_BLACKHOLE: self = .blackhole
        case RTN_UNREACHABLE: self = .hostUnreachable
        case RTN_PROHIBIT: self = .prohibited
        case RTN_THROW: self = .unreachable
        default: self = .route(route)
        }
    }

    /// From an errno in the answer; nil where it means something else than "there is no way".
    ///
    /// EINVAL is a blackhole only without words: when the kernel dislikes the request itself, it says why.
    init?(errno: Int32, text: String?) {
        switch errno {
        case ENETUNREACH: self = .unreachable
        case EHOSTUNREACH: self = .hostUnreachable
        case EACCES: self = .prohibited
        case EINVAL where text == nil: self = .blackhole
        default: return nil
        }
    }
}
