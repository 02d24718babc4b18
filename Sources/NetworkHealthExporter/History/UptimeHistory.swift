import NetworkHealth
import Storage

/// The table of the monitored time and the time offline, by the hour.
enum UptimeHistory {
    /// `kind` is a cause, or `monitored`.
    static let migration = Migration(
        "uptime",
        """
        CREATE TABLE uptime (hour INTEGER NOT NULL, kind TEXT NOT NULL, seconds REAL NOT NULL, PRIMARY KEY (hour, kind))
        STRICT, WITHOUT ROWID;
        CREATE INDEX transition_outage ON "transition" (at) WHERE outage_seconds IS NOT NULL;
        """
    )

    /// Hours that are kept: 100 days without a break.
    ///
    /// They are counted, since a clock that is wrong would make all of them seem too old.
    static let limit: Int64 = 2400

    private static let monitored = "monitored"

    /// Adds to what the table has.
    static func add(_ hours: HourlyUptime, in transaction: borrowing Transaction) throws(StorageError) {
        for (hour, uptime) in hours {
            let kinds = [(monitored, uptime.monitored)] + uptime.offline.map { ($0.key.rawValue, $0.value) }
            for (kind, seconds) in kinds where seconds > 0 {
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

    /// The hours of a range; what cannot be read, such as the cause of another version, is left out.
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
                seconds.isFinite
            else { continue }
            if kind == monitored {
                hours[hour, default: Uptime()].monitored = seconds
            } else if let cause = OutageCause(rawValue: kind) {
                hours[hour, default: Uptime()].offline[cause] = seconds
            }
        }
        return hours
    }

    /// Removes the oldest hours beyond the limit.
    static func prune(in transaction: borrowing Transaction) throws(StorageError) {
        try transaction.run(
            """
            DELETE FROM uptime WHERE hour <= (
                SELECT hour FROM uptime WHERE kind = '\(monitored)' ORDER BY hour DESC LIMIT 1 OFFSET ?
            )
            """,
            [.integer(limit)]
        )
    }
}
