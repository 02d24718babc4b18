import FoundationEssentials
import NetworkHealth
import Statistics

/// What a webhook reports.
enum WebhookEvent: String, Sendable, CaseIterable {
    /// The host is offline, and has been for `min_outage`.
    case lost
    /// The host is online again.
    case restored
    /// The quality is another one, and has been for `min_outage`.
    case quality
    /// There is a fault at some place, and has been for `min_outage`.
    case fault
    /// A fault that was reported is over.
    case faultEnded = "fault_ended"
    /// A speed was below the plan, which a second test has confirmed; `min_outage` says nothing about it.
    case belowPlan = "below_plan"
    /// The path leads over another uplink.
    case uplinkSwitched = "uplink_switched"
    /// An uplink does not reach the internet, and has not for `min_outage`.
    case uplinkLost = "uplink_lost"
}

/// One occurrence of an event.
struct WebhookOccurrence: Sendable, Equatable {
    var event: WebhookEvent
    /// When the outage, the new quality, the fault or the test began.
    var started: Date
    /// When the outage or the fault ended; nil while it lasts, and for all else.
    var ended: Date?
    /// From the start to the end, or to now; 0 for a speed.
    ///
    /// Suspend is excluded of an outage.
    var seconds: Double
    /// The first cause of the outage; nil for all else.
    var cause: OutageCause?
    /// The last place that was found for the outage; nil for all else.
    var location: FaultLocation?
    /// nil unless it is about one.
    var fault: FaultEvent?
    /// nil unless it is about one.
    var shortfall: PlanShortfall?
    /// The uplink that is lost, or that is in use now; nil unless it is about one.
    var uplink: String?
    /// The uplink that was in use before.
    var previousUplink: String?
    /// The outages that count as this one, since they followed each other closely; 0 for all else.
    var outages = 0
    /// For a quality: the one before.
    var previousQuality: NetworkQuality?
}

/// Decides which occurrences a webhook reports; pure.
///
/// An outage is reported once it has lasted `minOutage`. It is over after `hold` online: a shorter recovery belongs to it, so
/// that an unsteady line is one outage.
struct WebhookPlanner: Sendable {
    typealias Instant = SuspendingClock.Instant

    /// A time by both clocks.
    struct Moment: Sendable {
        var instant: Instant
        var date: Date

        func date(of earlier: Instant) -> Date { date - earlier.duration(to: instant).seconds }
    }

    /// One or more outages without `hold` between them.
    private struct Episode {
        var began: Instant
        /// Of the last outage; nil while it lasts.
        var ended: Instant?
        var cause: OutageCause
        var location: FaultLocation
        var outages = 1
        var isReported = false
        /// When the last outage began; it identifies the outage.
        var last: Instant
    }

    /// How long the host must be online for an outage to be over, at most.
    static let longestHold = Duration.seconds(10)

    private let minOutage: Duration
    private var episode: Episode?
    /// The last outage that has ended for good: it is not reported again.
    private var settled: Instant?
    /// Whether nothing was taken yet.
    private var isNew = true
    /// The quality that was reported last, or the first one.
    private var reportedQuality: NetworkQuality?
    /// Another quality, which is not reported yet.
    private var newQuality: (quality: NetworkQuality, since: Instant)?
    /// Whether online is known: an outage that was observed up to some time is not over for that.
    private var isKnown = true

    /// - Parameter minOutage: how long an outage, or another quality, must last.
    init(minOutage: Duration) { self.minOutage = minOutage }

    private var hold: Duration { min(minOutage, Self.longestHold) }

    /// When something may be due without a change; nil: never.
    var deadline: Instant? {
        var deadlines = newQuality.map { [$0.since + minOutage] } ?? []
        if let episode {
            if let ended = episode.ended {
                if isKnown { deadlines.append(ended + hold) }
            } else if !episode.isReported {
                deadlines.append(episode.began + minOutage)
            }
        }
        return deadlines.min()
    }

    /// What is to be reported, in the order in which it happened.
    ///
    /// - Parameters:
    ///   - isOnline: nil while that is not known.
    ///   - outage: the ongoing one, else the last one.
    ///   - quality: of this moment.
    ///   - now: this moment.
    /// - Returns: the occurrences; mostly none.
    mutating func take(
        isOnline: Bool?,
        outage: Outage?,
        quality: NetworkQuality,
        at now: Moment
    ) -> [WebhookOccurrence] {
        isKnown = isOnline != nil
        // What was over before a reload brought the webhook is no news for it.
        if isNew, let outage, !outage.isOngoing { settled = outage.since }
        isNew = false
        if let outage { follow(outage) }
        return outageOccurrences(at: now) + qualityOccurrences(isOnline == true ? quality : nil, at: now)
    }

    /// After time in which nothing was observed, what is not reported has to last from now on.
    ///
    /// The outage before it has ended with it; one that is there now is another one.
    mutating func missed() {
        newQuality = nil
        guard let episode, !episode.isReported else { return }
        (settled, self.episode) = (episode.last, nil)
    }

    // MARK: Outages

    private mutating func follow(_ outage: Outage) {
        let end = outage.length.map { outage.since + $0 }
        guard outage.since != settled else { return }
        guard var current = episode else {
            episode = Episode(
                began: outage.since,
                ended: end,
                cause: outage.cause,
                location: outage.location,
                last: outage.since
            )
            return
        }
        if current.last != outage.since {
            current.outages += 1
            current.last = outage.since
        }
        current.ended = end
        if outage.location != .unknown { current.location = outage.location }
        episode = current
    }

    private mutating func outageOccurrences(at now: Moment) -> [WebhookOccurrence] {
        guard var current = episode else { return [] }
        var occurrences: [WebhookOccurrence] = []
        func occurrence(_ event: WebhookEvent, until end: Instant) -> WebhookOccurrence {
            WebhookOccurrence(
                event: event,
                started: now.date(of: current.began),
                ended: event == .restored ? now.date(of: end) : nil,
                seconds: current.began.duration(to: end).seconds,
                cause: current.cause,
                location: current.location,
                outages: current.outages
            )
        }
        let end = current.ended ?? now.instant
        if !current.isReported, current.began.duration(to: end) >= minOutage {
            current.isReported = true
            occurrences.append(occurrence(.lost, until: end))
        }
        episode = current
        if let ended = current.ended, isKnown, ended.duration(to: now.instant) >= hold {
            if current.isReported { occurrences.append(occurrence(.restored, until: ended)) }
            settled = current.last
            episode = nil
        }
        return occurrences
    }

    // MARK: Quality

    /// `quality`: nil while the host is not online, which other events report.
    private mutating func qualityOccurrences(_ quality: NetworkQuality?, at now: Moment) -> [WebhookOccurrence] {
        guard let quality, quality != .offline else {
            newQuality = nil
            return []
        }
        guard let reported = reportedQuality else {
            reportedQuality = quality
            return []
        }
        guard quality != reported else {
            newQuality = nil
            return []
        }
        let since = newQuality.flatMap { $0.quality == quality ? $0.since : nil } ?? now.instant
        newQuality = (quality, since)
        guard since.duration(to: now.instant) >= minOutage else { return [] }
        newQuality = nil
        reportedQuality = quality
        return [
            WebhookOccurrence(
                event: .quality,
                started: now.date(of: since),
                seconds: since.duration(to: now.instant).seconds,
                previousQuality: reported
            )
        ]
    }
}
