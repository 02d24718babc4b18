import NetworkHealth
import Posix
import Probing
import Statistics

/// Whether something may be wrong, so that the routers are probed more often: a value.
struct Suspicion: Sendable {
    /// How long one that nothing confirms lasts.
    static let span = Duration.seconds(120)
    /// What counts as now, beside the usual of before.
    static let recent = Duration.seconds(90)
    /// A rise of less is not looked into.
    static let leastRise = Duration.milliseconds(10)
    /// A connection that takes so much longer lost a packet: the first SYN is sent again after 1 s (RFC 6298).
    static let retransmission = Duration.milliseconds(900)

    private var until: OutcomeWindow.Instant?
    /// Of the servers that lost something, or became slower, since it began.
    private var families: Set<AddressFamily> = []

    /// The pace that follows from the evidence of now, from the verdict about the internet, and from whether a fault holds that the
    /// routers may explain.
    ///
    /// While checks of the internet fail, and before they make an outage, the routers and the server behind them are asked, too. If
    /// they answer, a name server that does not is dead; if they do not, packets of all kinds are lost.
    mutating func mode(
        _ evidence: FaultEvidence,
        internet: InternetVerdict? = nil,
        hasFault: Bool,
        at now: OutcomeWindow.Instant
    ) -> HopMode {
        if evidence.outage != nil || evidence.isOnline == false { return .offline }
        if evidence.isTesting { return .speedTest }
        let odd = Set(evidence.servers.filter { Self.isOdd($0.window, at: now) }.map(\.family))
        if until.map({ now >= $0 }) ?? true { families = [] }
        families.formUnion(odd)
        if internet?.state == .degraded || hasFault || !odd.isEmpty {
            until = now + Self.span
        }
        let isSuspicious = until.map { now < $0 } ?? false
        guard isSuspicious || internet?.isSuspect == true else { return .calm }
        return .degraded(families == [.ipv6] ? .ipv6 : nil)
    }

    /// What is asked each second or two shows a rise sooner than what is asked each 30 s; a burst of a few seconds is none.
    private static func newest(of window: OutcomeWindow, at now: OutcomeWindow.Instant) -> Outcomes {
        let newest = window.newest(since: now - .seconds(30))
        return newest.count >= 10 ? newest : window.newest(since: now - recent)
    }

    /// Whether a window has lost something lately, or has become slower than usual: by three times its usual deviation.
    static func isOdd(_ window: OutcomeWindow, at now: OutcomeWindow.Instant) -> Bool {
        let latest = window.newest(since: now - recent)
        if latest.list.contains(nil) { return true }
        let all = window.newest().list
        let usual = all.prefix(all.count - latest.count).compactMap(\.self)
        guard usual.count >= 5, let median = usual.median,
            let current = newest(of: window, at: now).median
        else { return false }
        if latest.list.contains(where: { $0.map { $0 > median + retransmission } ?? false }) { return true }
        let deviations = usual.map { $0 < median ? median - $0 : $0 - median }
        return current > median + max(leastRise, (deviations.median ?? .zero) * 3)
    }
}

extension Fault.Pair {
    /// Whether the routers on the way show more of it: nothing that they answer explains a name server, a port or a limit of a
    /// test, which may stay as it is for weeks.
    var isOnWay: Bool { location != .dns && kind != .throughput && kind != .mtu }
}
