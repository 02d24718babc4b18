import NetworkPath
import Probing

/// What an outage was put down to when it was confirmed.
package enum OutageCause: String, Sendable, CaseIterable {
    /// The link lost its carrier, was set down, or went away.
    case link
    /// The link is fine, but the kernel has no usable route over it.
    case route
    /// The router does not answer.
    case gateway
    /// Addresses answer, names do not resolve.
    case dns
    /// The router answers, nothing beyond it does.
    case upstream
    /// A portal wants a login first.
    case captive
}

extension OutageCause {
    /// What took the path away: the link itself, or the way over it.
    init(_ update: PathUpdate) {
        self = update.downCause == .route || update.downCause == nil ? .route : .link
    }

    /// What keeps the internet away; nil while it is there, and while nobody knows.
    init?(_ verdict: InternetVerdict) {
        switch (verdict.state, verdict.cause) {
        case (.online, _), (.degraded, _), (.noPath, _), (.unknown, _): return nil
        case (_, .gateway): self = .gateway
        case (_, .dns): self = .dns
        case (_, .upstream): self = .upstream
        case (_, .captive), (.captive, nil): self = .captive
        case (.dnsBroken, nil): self = .dns
        case (.localOnly, nil): self = .upstream
        }
    }
}
