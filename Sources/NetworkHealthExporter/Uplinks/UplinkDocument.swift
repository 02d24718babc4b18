import FoundationEssentials
import NetworkHealth
import Statistics

/// An uplink as JSON; unknown is `null`.
struct UplinkDocument: Codable, Sendable, Equatable {
    var name: String
    @Nullable var provider: String?
    @Nullable var device: String?
    var routers: [String]
    /// Whether traffic leaves here.
    var active: Bool
    /// Whether it is checked.
    var testable: Bool
    /// Why not.
    @Nullable var reason: String?
    /// The same in a sentence, with what to do.
    @Nullable var explanation: String?
    @Nullable var online: Bool?
    /// Of the ongoing outage.
    @Nullable var cause: String?
    @Nullable var since: Date?
    @Nullable var expensive: Bool?
    @Nullable var latencySeconds: Double?
    @Nullable var lossRatio: Double?
    /// When a probe was last answered; null where the path is checked.
    @Nullable var answeredAt: Date?
    /// null where it would change without an event.
    @Nullable var record: Record?

    /// How the path uses it, and what has been counted since the start: what a container needs of its host.
    struct Record: Codable, Sendable, Equatable {
        /// Of several in use the first.
        var primary: Bool
        var alone: Bool
        var outages: UInt64
        var offlineSeconds: Double
        var activeSeconds: Double
        var switches: Switches

        /// By what showed them.
        struct Switches: Codable, Sendable, Equatable {
            var route: UInt64
            var hop: UInt64
            var address: UInt64
        }

        init(_ report: UplinkReport) {
            (primary, alone, outages) = (report.isPrimary, report.isAlone, report.outages)
            offlineSeconds = report.offline.seconds.toMicroseconds
            activeSeconds = report.active.seconds.toMicroseconds
            let inside = report.switchesInside
            switches = Switches(
                route: report.switches,
                hop: inside[.hop, default: 0],
                address: inside[.address, default: 0]
            )
        }
    }

    /// `now` and `date` are the same time.
    init(_ report: UplinkReport, now: SuspendingClock.Instant, date: Date, isCounted: Bool = false) {
        record = isCounted ? Record(report) : nil
        name = report.name
        (provider, device, routers) = (report.provider, report.device, report.routers)
        (active, testable, reason) = (report.isActive, report.obstacle == nil, report.obstacle?.word)
        explanation = report.obstacle.map { "\($0.explanation)." }
        (online, cause) = (report.isOnline, report.cause?.rawValue)
        since = report.downSince.map { date - $0.duration(to: now).seconds }
        expensive = report.isExpensive
        latencySeconds = report.latency?.seconds.toMicroseconds
        lossRatio = report.lossRatio?.toFiveDigits
        answeredAt = report.answeredAt.map { date - $0.duration(to: now).seconds }
    }
}

/// What happened to an uplink, as the stream reports it.
struct UplinkEventDocument: Encodable {
    var uplink: String
    /// The one that was in use before a switch.
    @Nullable var previousUplink: String?
    /// Of the outage.
    @Nullable var cause: String?
    /// What shows a switch.
    @Nullable var source: String?
    var at: Date
    var sentence: String

    /// `now` and `date` are the same time.
    init(_ event: UplinkEvent, now: SuspendingClock.Instant, date: Date) {
        uplink = event.uplink
        at = date - event.at.duration(to: now).seconds
        switch event.kind {
        case .switched(let from):
            _previousUplink = Nullable(wrappedValue: from)
            _cause = Nullable(wrappedValue: nil)
            _source = Nullable(wrappedValue: UplinkSwitchSource.route.rawValue)
            sentence = "The path leads over the uplink \(uplink), it led over \(from)."
        case .switchedInside(let source):
            _previousUplink = Nullable(wrappedValue: nil)
            _cause = Nullable(wrappedValue: nil)
            _source = Nullable(wrappedValue: source.rawValue)
            sentence =
                source == .address
                ? "The public address of the uplink \(uplink) has changed: its router uses another line, or the provider has assigned another address."
                : "Behind the router of the uplink \(uplink) another router is the first one: it uses another line, or the provider has changed the way."
        case .lost(let cause):
            _previousUplink = Nullable(wrappedValue: nil)
            _source = Nullable(wrappedValue: nil)
            _cause = Nullable(wrappedValue: cause.rawValue)
            sentence = "The uplink \(uplink) does not reach the internet (cause: \(cause.rawValue))."
        }
    }
}
