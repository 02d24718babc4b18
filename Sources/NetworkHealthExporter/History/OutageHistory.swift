import FoundationEssentials
import NetworkHealth
import PrometheusExposition
import Storage

/// The outages that have ended: each is in the row of the transition that ended it.
enum OutageHistory: HistorySelection {
    static let time = TransitionHistory.time
    static let selection = """
        SELECT * FROM "transition" WHERE outage_seconds IS NOT NULL AND at >= ?1 AND (at, id) > (?1, ?2)
        ORDER BY at, id LIMIT ?3
        """

    static func row(_ row: SQLRow) -> OutageRow? { TransitionHistory.row(row).flatMap(OutageRow.init) }

    /// The last ones to end, the newest first.
    static func last(_ limit: Int, in transaction: borrowing Transaction) throws(StorageError) -> [OutageRow] {
        let rows = try transaction.rows(
            "SELECT * FROM \"transition\" WHERE outage_seconds IS NOT NULL ORDER BY at DESC, id DESC LIMIT ?",
            [.integer(Int64(limit))]
        )
        return rows.compactMap(row)
    }
}

/// The table of the ongoing outage: at most one row, as of the last write.
///
/// Where a process ends in an outage, the next one completes the history with what was observed of it.
enum OngoingOutage {
    static let definition = """
        CREATE TABLE ongoing_outage (
            cause TEXT NOT NULL,
            at REAL NOT NULL,
            seconds REAL NOT NULL,
            location TEXT NOT NULL
        ) STRICT;
        """

    /// Stores the outage that lasts; nil: there is none.
    static func set(_ outage: OutageRow?, in transaction: borrowing Transaction) throws(StorageError) {
        try transaction.run("DELETE FROM ongoing_outage", [])
        guard let outage else { return }
        try transaction.run(
            "INSERT INTO ongoing_outage (cause, at, seconds, location) VALUES (?, ?, ?, ?)",
            [
                .text(outage.document.cause), .real(outage.at), .real(outage.document.seconds),
                .text(outage.document.location),
            ]
        )
    }

    /// Adds seconds to the stored outage, where it has that cause.
    static func extend(
        _ cause: OutageCause,
        by seconds: Double,
        in transaction: borrowing Transaction
    ) throws(StorageError) {
        try transaction.run(
            "UPDATE ongoing_outage SET at = at + ?1, seconds = seconds + ?1 WHERE cause = ?2",
            [.real(seconds), .text(cause.rawValue)]
        )
    }

    /// The end of the outage in which the last process ended: from then on nothing is known.
    ///
    /// - Parameter transaction: before this process writes a transition.
    /// - Returns: nil where the last process ended without an outage.
    /// - Throws: where the tables cannot be read.
    static func interrupted(in transaction: borrowing Transaction) throws(StorageError) -> Transition? {
        let last = try transaction.rows("SELECT * FROM \"transition\" ORDER BY id DESC LIMIT 1").first
        guard var transition = last.flatMap(TransitionHistory.row), transition.outageSeconds == nil,
            let row = try transaction.rows("SELECT * FROM ongoing_outage").first,
            let cause = row["cause"].text, cause == transition.outageCause,
            let at = row["at"].real, let seconds = row["seconds"].real, at.isFinite, seconds.isFinite
        else { return nil }
        (transition.at, transition.online, transition.outageSeconds) = (at, nil, seconds)
        transition.outageLocation = row["location"].text
        return transition
    }
}

/// One outage of the history, also the ongoing one.
struct OutageRow: HistoryRow {
    private let outage: DatedOutage
    /// Its length so far, which excludes suspend.
    private let seconds: Double

    /// The ongoing or the last outage of a state, at the current time by both clocks; nil where it has none.
    init?(_ state: HealthState, at now: HistoryRecorder.Moment) {
        guard let outage = state.outage else { return nil }
        if let length = outage.length, let dated = state.datedOutage {
            (self.outage, seconds) = (dated, (length / .seconds(1)).rounded(toPlaces: 3))
            return
        }
        // The time of an ongoing one stands still while there is evidence of its end, as in the counters.
        let held = state.outageHeldSince.map { max(.zero, $0.duration(to: now.instant)) } ?? .zero
        let instant = now.instant - held
        self.outage = DatedOutage(outage, at: instant, date: now.date - held / .seconds(1))
        seconds = max(.zero, outage.since.duration(to: instant)) / .seconds(1)
    }

    /// The outage that a transition ends; nil where it ends none.
    init?(_ transition: Transition) {
        guard let outage = DatedOutage(transition) else { return nil }
        (self.outage, seconds) = (outage, transition.outageSeconds ?? 0)
    }

    static let columns = ["startedAt", "endedAt", "seconds", "cause", "location"]

    /// Its end; now for the ongoing one.
    var at: Double { outage.end ?? outage.start + seconds }

    var fields: [String?] {
        let row = document
        return [row.startedAt, row.endedAt, "\(row.seconds)", row.cause, row.location]
    }

    var document: Document { Document(outage, seconds: seconds) }

    /// The same as JSON; `endedAt` is `null` while it is ongoing.
    struct Document: Encodable, Sendable {
        var startedAt: String
        @Nullable var endedAt: String?
        var seconds: Double
        var cause: String
        var location: String

        init(_ outage: DatedOutage, seconds: Double) {
            startedAt = RFC3339.text(outage.start, milliseconds: true)
            endedAt = outage.end.map { RFC3339.text($0, milliseconds: true) }
            self.seconds = seconds.rounded(toPlaces: 3)
            cause = outage.cause.rawValue
            location = outage.location.rawValue
        }
    }

    var families: [MetricFamily] { OutageMetrics.last(outage) }
}

extension HealthState {
    /// Whether its outage began after that of another state, or is that and has ended meanwhile.
    func isAhead(of other: HealthState?) -> Bool {
        guard let outage else { return false }
        guard let known = other?.outage, known.since >= outage.since else { return true }
        return known.since == outage.since && known.isOngoing && !outage.isOngoing
    }
}
