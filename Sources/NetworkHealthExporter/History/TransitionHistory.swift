import Storage

/// The table of what was known of the network, and from when on.
enum TransitionHistory: HistoryTable {
    static let migration = Migration(
        "transitions",
        """
        CREATE TABLE "transition" (
            id INTEGER PRIMARY KEY,
            at REAL NOT NULL,
            online INTEGER,
            status TEXT NOT NULL,
            reason TEXT,
            internet TEXT,
            interface TEXT,
            type TEXT NOT NULL,
            quality TEXT NOT NULL
        ) STRICT;
        CREATE INDEX transition_at ON "transition" (at);
        """
    )

    static func add(_ rows: [Transition], in transaction: borrowing Transaction) throws(StorageError) {
        for row in rows {
            try transaction.run(
                """
                INSERT INTO "transition" (at, online, status, reason, internet, interface, type, quality)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    .real(row.at), row.online.map { .integer($0 ? 1 : 0) } ?? .null, .text(row.status),
                    SQLValue(row.reason), SQLValue(row.internet), SQLValue(row.interface), .text(row.type),
                    .text(row.quality),
                ]
            )
        }
    }

    static let time = "at"
    static let newest = "SELECT max(at) FROM \"transition\""
    static let selection =
        "SELECT * FROM \"transition\" WHERE at >= ?1 AND (at, id) > (?1, ?2) ORDER BY at, id LIMIT ?3"
    static let deletion =
        "DELETE FROM \"transition\" WHERE id IN (SELECT id FROM \"transition\" WHERE at < ? LIMIT ?)"

    static func row(_ row: SQLRow) -> Transition? {
        guard let at = row["at"].real, let status = row["status"].text, let type = row["type"].text,
            let quality = row["quality"].text
        else { return nil }
        return Transition(
            at: at,
            online: row["online"].integer.map { $0 != 0 },
            status: status,
            reason: row["reason"].text,
            internet: row["internet"].text,
            interface: row["interface"].text,
            type: type,
            quality: quality
        )
    }
}

extension SQLValue {
    fileprivate init(_ text: String?) { self = text.map { .text($0) } ?? .null }
}
