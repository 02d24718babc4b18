import NetworkHealth
import Storage

/// The table of the monitored time and the time offline, by the hour.
enum UptimeHistory {
    /// `kind` is a cause, or `monitored`.
    static let definition = """
        CREATE TABLE uptime (hour INTEGER NOT NULL, kind TEXT NOT NULL, seconds REAL NOT NULL, PRIMARY KEY (hour, kind))
        STRICT, WITHOUT ROWID;
        """

    /// Hours that are kept at least, for the page: 100 days without a break.
    ///
    /// They are counted, since a clock that is wrong would make all of them seem too old.
    static let least: Int64 = 2400

    private static let monitored = "monitored"
    /// Seconds of one hour that are believed: a clock that is set back observes an hour again.
    static let believed = 0...1e6

    /// The seconds of each kind that are not zero.
    static func sums(_ uptime: Uptime) -> [String: Double] {
        var sums = [monitored: uptime.monitored]
        for (cause, seconds) in uptime.offline { sums[cause.rawValue] = seconds }
        return sums.filter { $0.value > 0 }
    }

    /// The reverse of `sums` for one of them; false for a kind that is not known.
    static func set(_ seconds: Double, _ kind: String, of hour: Int64, in hours: inout HourlyUptime) -> Bool {
        if kind == monitored {
            hours[hour, default: Uptime()].monitored = seconds
        } else if let cause = OutageCause(rawValue: kind) {
            hours[hour, default: Uptime()].offline[cause] = seconds > 0 ? seconds : nil
        } else {
            return false
        }
        return true
    }

    /// Adds to what the table has.
    static func add(_ hours: HourlyUptime, in transaction: borrowing Transaction) throws(StorageError) {
        for (hour, uptime) in hours {
            for (kind, seconds) in sums(uptime) {
                try transaction.run(
                    """
                    INSERT INTO uptime VALUES (?, ?, ?)
                    ON CONFLICT (hour, kind) DO UPDATE SET seconds = seconds + excluded.seconds
                    """,
                    [.integer(hour), .text(kind), .real(seconds)]
                )
            }
        }
    }

    /// The hours of a range; what cannot be read, such as in a damaged file, is left out.
    static func hours(
        _ range: ClosedRange<Int64>,
        in transaction: borrowing Transaction
    ) throws(StorageError) -> HourlyUptime {
        let rows = try transaction.rows(
            "SELECT * FROM uptime WHERE hour BETWEEN ? AND ?",
            [.integer(range.lowerBound), .integer(range.upperBound)]
        )
        var hours = HourlyUptime()
        for row in rows {
            guard let hour = row["hour"].integer, let kind = row["kind"].text, let seconds = row["seconds"].real,
                believed.contains(seconds)
            else { continue }
            _ = set(seconds, kind, of: hour, in: &hours)
        }
        return hours
    }

    /// Removes the oldest hours beyond a number.
    static func prune(keeping hours: Int64, in transaction: borrowing Transaction) throws(StorageError) {
        try transaction.run(
            """
            DELETE FROM uptime WHERE hour <= (
                SELECT hour FROM uptime WHERE kind = '\(monitored)' ORDER BY hour DESC LIMIT 1 OFFSET ?
            )
            """,
            [.integer(max(hours, least))]
        )
    }
}
