package import NetworkPath
package import Probing
package import Statistics

/// Counts outages and their time.
///
/// An outage counts once, with the cause known when it was confirmed, from its first evidence on; its time grows while
/// it lasts. All instants exclude suspend: suspended time is neither up nor down, and so is time in which this process did
/// not run.
package struct OutageTracker: Sendable, Equatable {
    /// In seconds, up to a day.
    package static let durationBounds: [Double] = [1, 5, 15, 30, 60, 300, 900, 3600, 14400, 86400]

    /// When the first complete state was known.
    package let startedAt: SuspendingClock.Instant
    /// No outage begins before this: the start, then the end of the last outage.
    private var earliest: SuspendingClock.Instant
    /// The time since the start in which this process did not run.
    private var unobserved = Duration.zero
    private var ended: [OutageCause: Duration] = [:]
    private var counts: [OutageCause: UInt64] = [:]
    /// Since when it is not known whether the ongoing outage lasts: there is evidence of its end, or a doubt; else nil.
    package private(set) var heldSince: SuspendingClock.Instant?

    /// The durations of ended outages, in seconds.
    package private(set) var durations = DurationHistogram(bounds: durationBounds)
    /// The ongoing outage, else the last one; nil before the first.
    package private(set) var latest: Outage?

    /// - Parameter startedAt: when the first complete state was known; the clock of `monitored(at:)`.
    package init(startedAt: SuspendingClock.Instant) {
        self.startedAt = startedAt
        earliest = startedAt
    }

    /// The ongoing outage; nil without one.
    package var ongoing: Outage? { latest.flatMap { $0.isOngoing ? $0 : nil } }

    /// An outage is confirmed, which began with `evidence`; ignored while one is ongoing.
    package mutating func began(_ cause: OutageCause, since evidence: SuspendingClock.Instant) {
        heldSince = nil
        guard ongoing == nil else { return }
        latest = Outage(cause, since: max(evidence, earliest))
        counts[cause, default: 0] += 1
    }

    /// There is evidence that the outage is over, or a doubt whether it lasts: its time stops, until `finished` confirms that
    /// it is over, or `began` refutes it.
    package mutating func held(at now: SuspendingClock.Instant) {
        if ongoing != nil { heldSince = heldSince ?? now }
    }

    /// The network is confirmed to be usable again: the outage ended with the first evidence of that.
    ///
    /// - Parameters:
    ///   - now: when it was confirmed.
    ///   - evidence: when the first evidence arrived at the one who has observed it, such as the exporter of the host; nil: at
    ///     this exporter. Evidence from before the outage is that of an earlier one, and is ignored.
    ///   - pathEvidence: when the first evidence of this path arrived, before which the outage did not end; nil: no limit.
    package mutating func finished(
        at now: SuspendingClock.Instant,
        evidence: SuspendingClock.Instant? = nil,
        pathEvidence: SuspendingClock.Instant? = nil
    ) {
        guard let outage = ongoing else { return }
        let reported = evidence.flatMap { $0 > outage.since ? min(max($0, pathEvidence ?? $0), now) : nil }
        let end = heldSince ?? reported ?? now
        heldSince = nil
        let length = max(.zero, outage.since.duration(to: end))
        ended[outage.cause, default: .zero] += length
        durations.observe(length)
        earliest = max(earliest, end)
        latest?.length = length
    }

    /// Nothing was observed in that time: an ongoing outage is known up to its begin, and none begins before its end.
    package mutating func missed(_ gap: ObservationGap) {
        let start = max(startedAt, gap.start)
        guard start < gap.end else { return }
        finished(at: start)
        unobserved += start.duration(to: gap.end)
        earliest = max(earliest, gap.end)
    }

    /// The place of the outage that began then was found; false where that changes nothing, as after its end.
    package mutating func located(_ place: FaultLocation, since: SuspendingClock.Instant) -> Bool {
        guard let ongoing, ongoing.since == since, ongoing.location != place else { return false }
        latest?.location = place
        return true
    }

    /// How many outages were confirmed.
    package func count(_ cause: OutageCause) -> UInt64 { counts[cause, default: 0] }

    /// The time spent offline, including the ongoing outage.
    package func offline(_ cause: OutageCause, at now: SuspendingClock.Instant) -> Duration {
        let past = ended[cause, default: .zero]
        guard let ongoing, ongoing.cause == cause else { return past }
        return past + max(.zero, ongoing.since.duration(to: min(now, heldSince ?? now)))
    }

    /// The time observed so far: the denominator of uptime.
    package func monitored(at now: SuspendingClock.Instant) -> Duration {
        max(.zero, startedAt.duration(to: now) - unobserved)
    }
}

/// One confirmed outage.
package struct Outage: Sendable, Equatable {
    package var cause: OutageCause
    /// When its first evidence arrived; the clock excludes suspend.
    package var since: SuspendingClock.Instant
    /// nil while it is ongoing.
    package var length: Duration?
    /// The last place that was found while it lasted; unknown until then.
    package var location = FaultLocation.unknown

    package var isOngoing: Bool { length == nil }

    /// When the first evidence of its end arrived; nil while it is ongoing.
    package var end: SuspendingClock.Instant? { length.map(since.advanced(by:)) }

    package init(_ cause: OutageCause, since: SuspendingClock.Instant, length: Duration? = nil) {
        (self.cause, self.since, self.length) = (cause, since, length)
    }
}

/// The cause of an outage, as known when it was confirmed.
package enum OutageCause: String, Sendable, CaseIterable {
    /// The link lost its carrier, was set down, or was removed.
    case link
    /// The link is up, but the kernel has no usable route over it.
    case route
    /// The router does not answer.
    case gateway
    /// Addresses answer, names lead to no server.
    case dnsBroken = "dns_broken"
    /// The router answers, nothing beyond it does.
    case noInternet = "no_internet"
    /// A captive portal requires a login.
    case captivePortal = "captive_portal"
    /// Certificates are not trusted, and the configuration denies that.
    case tlsUntrusted = "tls_untrusted"
}

extension OutageCause {
    /// Whether the router still answers.
    var isBeyondRouter: Bool {
        switch self {
        case .link, .route, .gateway: false
        case .dnsBroken, .noInternet, .captivePortal, .tlsUntrusted: true
        }
    }

    /// Whether the place of what is wrong now is that of an outage which began with the other cause.
    ///
    /// A cable that is pulled in an outage of the provider is not its place, nor the reverse.
    package func isPlace(ofOutageBy first: OutageCause) -> Bool {
        let causesOfPath: Set<OutageCause> = [.link, .route]
        return self == first || causesOfPath.isDisjoint(with: [self, first])
    }

    /// Why the path is not usable: the link, or the route over it.
    init(_ update: PathUpdate) {
        self = update.downCause == .route || update.downCause == nil ? .route : .link
    }

    /// Why there is no internet; nil while there is one, and while it is unknown.
    package init?(_ verdict: InternetVerdict) {
        switch (verdict.state, verdict.cause) {
        case (.online, _), (.degraded, _), (.tlsUntrusted, nil), (.noPath, _), (.unknown, _): return nil
        case (_, .gateway): self = .gateway
        case (_, .dns): self = .dnsBroken
        case (_, .upstream): self = .noInternet
        case (_, .captivePortal), (.captivePortal, nil): self = .captivePortal
        case (_, .tlsUntrusted): self = .tlsUntrusted
        case (.dnsBroken, nil): self = .dnsBroken
        case (.noInternet, nil): self = .noInternet
        }
    }
}
