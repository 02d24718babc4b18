package import Posix

/// The state of the internet behind the path, on the evidence so far.
package struct InternetVerdict: Sendable, Equatable {
    package var state: InternetState
    /// Of each family that the path carries.
    package var families: [AddressFamily: InternetState]
    /// The cause of an outage; nil while online.
    package var cause: InternetCause?
    /// Why the state is `degraded`; empty in every other state, and where that is not known.
    package var degradedReasons: Set<DegradedReason>
    /// The bytes of the largest packet that the path carries, of the families where full ones vanish and it was found.
    package var pathMTU: [AddressFamily: Int]
    /// When the first evidence for this state arrived: outages are counted from here.
    package var evidenceAt: SuspendingClock.Instant
    /// A round has failed and is being repeated; the state is still the previous one.
    package var isSuspect: Bool
    /// A limit of this machine, such as that of threads for lookups, ended checks, so that nothing was concluded from the
    /// last round; the state is the previous one, `unknown` where there is none.
    package var isHindered: Bool
    /// The exporter of the host, which checks the internet in place of this one, does not know the state: it is `unknown`.
    package var isUnknownToHost: Bool
    /// Something answers that was silent, and no round has refuted yet that the outage is over.
    package var isRecovering: Bool
    /// When the first evidence arrived that an outage is over, where another exporter has observed that; else nil.
    package var recoveredAt: SuspendingClock.Instant?
    /// The generation of the path that this verdict is about.
    package var generation: UInt64

    package init(
        state: InternetState,
        families: [AddressFamily: InternetState] = [:],
        cause: InternetCause? = nil,
        degradedReasons: Set<DegradedReason> = [],
        evidenceAt: SuspendingClock.Instant,
        pathMTU: [AddressFamily: Int] = [:],
        isSuspect: Bool = false,
        isHindered: Bool = false,
        isUnknownToHost: Bool = false,
        isRecovering: Bool = false,
        recoveredAt: SuspendingClock.Instant? = nil,
        generation: UInt64
    ) {
        self.state = state
        self.families = families
        self.cause = cause
        self.degradedReasons = degradedReasons
        self.evidenceAt = evidenceAt
        self.pathMTU = pathMTU
        self.isSuspect = isSuspect
        self.isHindered = isHindered
        self.isUnknownToHost = isUnknownToHost
        self.isRecovering = isRecovering
        self.recoveredAt = recoveredAt
        self.generation = generation
    }
}

/// The states of the internet; the raw values are labels.
package enum InternetState: String, Sendable, CaseIterable {
    case online
    /// Online, with a `DegradedReason`.
    case degraded
    /// HTTP passes, and the certificates of two hosts are not trusted.
    case tlsUntrusted = "tls_untrusted"
    /// A portal requires a login.
    case captivePortal = "captive_portal"
    /// Addresses answer, but names do not resolve, or lead nowhere.
    case dnsBroken = "dns_broken"
    /// No host beyond this network answers.
    case noInternet = "no_internet"
    /// There is no path.
    case noPath = "no_path"
    /// Not checked yet.
    case unknown

    /// Whether probes decided it.
    package var isConclusive: Bool { self != .noPath && self != .unknown }

    /// Whether traffic reaches the internet.
    ///
    /// - Parameter cause: of the same verdict; untrusted certificates have one only where they count as an outage.
    /// - Returns: true also for untrusted certificates without a cause.
    package func isOnline(cause: InternetCause?) -> Bool {
        self == .online || self == .degraded || self == .tlsUntrusted && cause == nil
    }
}

extension InternetVerdict {
    /// Whether traffic reaches the internet.
    package var isOnline: Bool { state.isOnline(cause: cause) }

    /// Where nothing can be concluded: the last verdict, else an unknown state.
    ///
    /// - Parameters:
    ///   - last: nil where it no longer holds.
    ///   - path: of the moment; a verdict about a path that was lost does not hold for the one that came back.
    ///   - now: the time.
    /// - Returns: the verdict to publish.
    static func hindered(
        after last: InternetVerdict?,
        on path: InternetPath,
        at now: SuspendingClock.Instant
    ) -> InternetVerdict {
        var verdict = InternetVerdict(state: .unknown, evidenceAt: now, generation: path.generation)
        if let last, last.state != .noPath { verdict = last }
        verdict.isHindered = true
        return verdict
    }
}

/// Why an internet that is reached is not well; the raw values are labels.
package enum DegradedReason: String, Sendable, CaseIterable {
    /// Packets of targets are lost.
    case loss
    /// Programs of this host send many segments again.
    case retransmissions
    /// The certificate of one host is not trusted.
    case certificate
    /// The path does not carry full packets, and does not say so: small ones arrive.
    case mtu
}

/// The cause of an outage.
package enum InternetCause: String, Sendable, CaseIterable {
    case gateway, dns, upstream, captivePortal, tlsUntrusted
}
