import NetworkHealth
import Storage

/// Rows to be written, the oldest first.
struct HistoryBacklog: Sendable, Equatable {
    /// Of each kind; beyond it the oldest are dropped.
    static let limit = 1000

    private(set) var transitions: [Transition] = []
    private(set) var minutes: [LatencyRow] = []
    private(set) var points: [PointRow] = []
    private(set) var gaps: [DatedGap] = []
    /// That have ended.
    private(set) var uplinkOutages: [UplinkOutageRow] = []
    /// What is to be added to the stored hours.
    private(set) var hours: HourlyUptime = [:]

    init(
        transitions: [Transition] = [],
        minutes: [LatencyRow] = [],
        points: [PointRow] = [],
        gaps: [DatedGap] = [],
        uplinkOutages: [UplinkOutageRow] = [],
        hours: HourlyUptime = [:]
    ) {
        (self.transitions, self.minutes, self.points) = (transitions, minutes, points)
        (self.gaps, self.uplinkOutages, self.hours) = (gaps, uplinkOutages, hours)
    }

    var isEmpty: Bool {
        transitions.isEmpty && minutes.isEmpty && points.isEmpty && gaps.isEmpty && uplinkOutages.isEmpty
            && hours.isEmpty
    }

    /// What completes the history of the last process: the end of each outage, and the half hour, in which it ended.
    ///
    /// - Parameters:
    ///   - transaction: before this process writes anything.
    ///   - tail: what that process has left beside the file, where it could not be added to the file yet; else nil.
    /// - Returns: rows to be written before those of this process.
    /// - Throws: where the tables cannot be read.
    static func interrupted(
        in transaction: borrowing Transaction,
        after tail: UptimeTail? = nil
    ) throws(StorageError) -> HistoryBacklog {
        let hours = try tail?.missing(in: transaction) ?? [:]
        var outage = try OngoingOutage.interrupted(in: transaction)
        if let cause = outage?.outageCause.flatMap(OutageCause.init), let seconds = outage?.outageSeconds {
            outage?.at += hours.offline(cause)
            outage?.outageSeconds = seconds + hours.offline(cause)
        }
        return HistoryBacklog(
            transitions: [outage].compactMap(\.self),
            points: try PointHistory.interrupted(in: transaction),
            uplinkOutages: try UplinkOutageHistory.interrupted(in: transaction),
            hours: hours
        )
    }

    /// Adds later ones.
    mutating func append(_ later: HistoryBacklog) {
        transitions = (transitions + later.transitions).suffix(Self.limit)
        minutes = (minutes + later.minutes).suffix(Self.limit)
        points = (points + later.points).suffix(Self.limit)
        gaps = (gaps + later.gaps).suffix(Self.limit)
        uplinkOutages = (uplinkOutages + later.uplinkOutages).suffix(Self.limit)
        hours.add(later.hours)
        if hours.count > Self.limit {
            let oldest = hours.keys.sorted().prefix(hours.count - Self.limit)
            for hour in oldest { hours[hour] = nil }
        }
    }

    /// Without the hours, which are added to the table once.
    mutating func dropHours() { hours = [:] }

    func write(in transaction: borrowing Transaction) throws(StorageError) {
        try TransitionHistory.add(transitions, in: transaction)
        try LatencyHistory.add(minutes, in: transaction)
        try PointHistory.add(points, in: transaction)
        try GapHistory.add(gaps, in: transaction)
        try UplinkOutageHistory.add(uplinkOutages, in: transaction)
        try UptimeHistory.add(hours, in: transaction)
    }
}
