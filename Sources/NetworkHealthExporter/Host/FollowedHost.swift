import FoundationEssentials
import NetworkHealth
import Probing

/// What the reports of the host's exporter say, and for how long that counts; pure, apart from the age of measurements.
struct FollowedHost: Sendable {
    /// For how long the internet stays what it was after that exporter has said that it does not know, as after its restart.
    static let longestDoubt = HostSilence.patience

    /// The newest report; nil before the first, and after a silence.
    private(set) var report: HostReport?
    /// nil before the first answer, after a silence, and where no test has run.
    private(set) var speedTests: SpeedTestDocument?
    /// How often this process was stopped: an answer to a question of before may be older than the stop.
    private(set) var stops: UInt64 = 0

    /// When the latency and the faults of the report were the host's.
    private var measuredAt = ContinuousClock.now
    /// The newest uplinks, also after a silence.
    private var lastUplinks: [UplinkReport] = []
    /// When they were the host's; nil: they are not known.
    private var uplinksAt: ContinuousClock.Instant?
    /// Since when that exporter says that it does not know the state of the internet; nil: it knows, or is silent.
    private var doubtedSince: SuspendingClock.Instant?
    /// Whether the report is from before a stop of this process, so that what it says of the internet may be over.
    private var isOutdated = false

    // MARK: Out

    /// The latency of the host's network; nil: unknown.
    var latency: NetworkLatency? { isMeasured ? report?.latency : nil }

    /// What is wrong on the way from the host; nil: unknown.
    var faults: [Fault]? { isMeasured ? report?.faults : nil }

    /// The uplinks of the host; without its answer their names alone are known.
    var uplinks: [UplinkReport] {
        let isKnown = uplinksAt.map { $0 + HostClient.measurementAge > .now } ?? false
        return isKnown ? lastUplinks : lastUplinks.map(\.silent)
    }

    private var isMeasured: Bool { measuredAt + HostClient.measurementAge > .now }

    /// The host's internet as that of this path; nil where it stays what it was.
    func verdict(on path: InternetPath, at now: SuspendingClock.Instant) -> InternetVerdict? {
        guard let report, !isOutdated else { return nil }
        if let doubtedSince {
            let end = doubtedSince + Self.longestDoubt
            guard now >= end else { return nil }
            return InternetVerdict(state: .unknown, evidenceAt: end, isUnknownToHost: true, generation: path.generation)
        }
        guard let internet = report.internet else { return nil }
        return InternetVerdict(
            state: internet,
            cause: report.internetCause,
            evidenceAt: report.outage.flatMap { $0.end == nil ? $0.since : nil } ?? now,
            recoveredAt: report.outage?.end,
            generation: path.generation
        )
    }

    // MARK: In

    /// Takes the report of an event.
    ///
    /// - Returns: the one before; nil: there was none, or a silence.
    mutating func take(_ new: HostReport, at now: SuspendingClock.Instant) -> HostReport? {
        defer { measuredAt = .now }
        let last = report
        report = new
        // That exporter has not decided yet.
        if new.faults == nil { report?.faults = last?.faults }
        noteInternet(at: now)
        return last
    }

    /// Takes what was requested; nil where there was no answer.
    ///
    /// Events say what the internet is: an answer may be older than the last one. After a stop of this process the answer
    /// decides.
    ///
    /// - Parameters:
    ///   - snapshot: of the host's exporter.
    ///   - speedTests: those of the host.
    ///   - stops: `stops` when they were requested.
    ///   - now: the time.
    /// - Returns: whether there may be a verdict that was not reported yet.
    mutating func take(
        _ snapshot: SnapshotDocument?,
        _ speedTests: HostSpeedTests?,
        requestedAfter stops: UInt64,
        at now: SuspendingClock.Instant
    ) -> Bool {
        // A silence may have begun meanwhile.
        guard var known = report else { return false }
        var decides = false
        if let snapshot, let answer = HostReport(snapshot, at: .now, now: now) {
            (known.latency, known.faults, known.outage) = (answer.latency, answer.faults, answer.outage)
            decides = isOutdated && stops == self.stops
            if decides { (known.internet, known.internetCause) = (answer.internet, answer.internetCause) }
            (report, measuredAt) = (known, .now)
            if decides { noteInternet(at: now) }
            if let uplinks = [UplinkReport](snapshot, now: now) { (lastUplinks, uplinksAt) = (uplinks, .now) }
        }
        if let speedTests { self.speedTests = speedTests.document }
        return decides || doubtedSince != nil
    }

    /// This process was stopped: what was reported before may be over, and the stream brings changes only.
    mutating func noticeStop() {
        stops += 1
        isOutdated = report != nil
    }

    /// Forgets the report after a silence, and returns it.
    mutating func lose() -> HostReport? {
        defer { (report, speedTests, uplinksAt, doubtedSince, isOutdated) = (nil, nil, nil, nil, false) }
        return report
    }

    /// The report is of now.
    private mutating func noteInternet(at now: SuspendingClock.Instant) {
        isOutdated = false
        doubtedSince = report?.internet == nil ? doubtedSince ?? now : nil
    }
}
