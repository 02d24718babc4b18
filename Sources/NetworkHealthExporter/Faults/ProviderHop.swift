import NetworkHealth
import NetworkPath
import Posix
import Probing
import Statistics

/// The provider's first router, as far as it is known; pure.
struct ProviderHop: Sendable, Equatable {
    /// In calm times a router is probed every five minutes.
    static let maxAge = Duration.seconds(900)

    /// nil: it was not seen, or addresses do not say which router is the provider's.
    var address: IPAddress?
    /// The median of its last ten answers; nil without a recent one.
    var latency: Duration?

    init(address: IPAddress? = nil, latency: Duration? = nil) { (self.address, self.latency) = (address, latency) }

    /// nil in a tunnel, which hides the line below it.
    init?(_ evidence: FaultEvidence, at now: OutcomeWindow.Instant) {
        guard evidence.path?.interface?.isTunnel != true else { return nil }
        let seen = evidence.hops.compactMap { report in
            report.firstProviderHop(in: evidence).map { hop in
                let answers = hop.window.newest(since: now - Self.maxAge).list.compactMap(\.self)
                return ProviderHop(address: hop.addresses.last, latency: answers.suffix(10).median)
            }
        }
        self = seen.first { $0.latency != nil } ?? seen.first ?? ProviderHop()
    }
}
