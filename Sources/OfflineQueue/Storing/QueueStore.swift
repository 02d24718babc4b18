import FoundationEssentials
import Storage

/// The requests on the disk.
struct QueueStore: Sendable {
    let database: Database

    /// Stores a request; returns its sequence, or where its key is known the id of the earlier one.
    ///
    /// The keys that were delivered before `oldest` are not known any more.
    func insert(
        _ request: RetryableRequest,
        knowingKeysSince oldest: Date
    ) async throws -> (sequence: Int64?, id: UUID) {
        let values: [SQLValue] = [
            .text(request.id.uuidString), .text(request.endpoint), .text(request.method),
            request.body.map { .blob([UInt8]($0)) } ?? .null,
            .real(request.timestamp.timeIntervalSince1970), .integer(Int64(request.retryCount)),
            .integer(Int64(request.maxRetries)), .text(request.requestType),
            .text(String(decoding: try JSONEncoder().encode(request.headers), as: UTF8.self)),
            request.idempotencyKey.map { .text($0) } ?? .null, request.orderingKey.map { .text($0) } ?? .null,
            request.requirement.map { .text($0) } ?? .null,
            request.expiresAt.map { .real($0.timeIntervalSince1970) } ?? .null,
            .integer(Int64(request.size)), .text(request.lane.name),
        ]
        return try await database.write { transaction in
            if let known = try Self.known(request, since: oldest, transaction) { return (nil, known) }
            let places = values.map { _ in "?" }.joined(separator: ", ")
            try transaction.run("INSERT INTO queue_request (\(Self.columns), size, lane) VALUES (\(places))", values)
            return (try transaction.rows("SELECT last_insert_rowid()")[0][0].integer, request.id)
        }
    }

    /// The id of a stored request with the same id or key, or of one with that key that was delivered since `oldest`.
    func known(_ request: RetryableRequest, since oldest: Date) async throws -> UUID? {
        try await database.read { try Self.known(request, since: oldest, $0) }
    }

    /// All requests as the decisions see them, in the order of their acceptance.
    func entries(at moment: QueueMoment) async throws -> [QueueEntry] {
        try await database.read { transaction in
            let sql = """
                SELECT sequence, id, lane, ordering_key IS NOT NULL, requirement, size, max_retries, retry_count, made, expires,
                    not_before, endpoint
                FROM queue_request ORDER BY sequence
                """
            var entries: [QueueEntry] = []
            // By their numbers, and one by one: there may be thousands.
            try transaction.forEachRow(of: sql) { row in
                guard let sequence = row[0].integer, let id = row[1].text.flatMap({ UUID(uuidString: $0) }) else {
                    return
                }
                func date(_ column: Int) -> Date? { row[column].real.map { Date(timeIntervalSince1970: $0) } }
                let entry = QueueEntry(
                    sequence: sequence,
                    id: id,
                    lane: QueueLane.Key(name: row[2].text ?? "", keepsOrder: row[3].integer == 1),
                    server: RetryableRequest.server(of: row[11].text ?? ""),
                    requirement: row[4].text,
                    size: Self.number(row[5]),
                    maxRetries: Self.number(row[6]),
                    retryCount: Self.number(row[7]),
                    made: date(8) ?? .distantPast,
                    expires: date(9),
                    notBefore: date(10),
                    at: moment
                )
                entries.append(entry)
            }
            return entries
        }
    }

    /// All requests, in the order of their acceptance; for a list, without their bodies.
    func requests(withBodies: Bool = true) async throws -> [RetryableRequest] {
        let sql = "SELECT \(Self.columns(withBody: withBodies)) FROM queue_request ORDER BY sequence"
        return try await database.read { try $0.rows(sql).compactMap(Self.request) }
    }

    /// One request; nil where it has left the queue.
    func request(_ sequence: Int64, withBody: Bool = true) async throws -> RetryableRequest? {
        let sql = "SELECT \(Self.columns(withBody: withBody)) FROM queue_request WHERE sequence = ?"
        return try await database.read { try $0.rows(sql, [.integer(sequence)]).first.flatMap(Self.request) }
    }

    /// The ids of the requests that have another type than this.
    func ids(ofOtherTypesThan type: String) async throws -> [UUID] {
        try await database.read { transaction in
            try transaction.rows("SELECT id FROM queue_request WHERE type != ?", [.text(type)])
                .compactMap { $0[0].text.flatMap { UUID(uuidString: $0) } }
        }
    }

    /// A request that has left the queue; the key of a delivered one is kept.
    struct Removal: Sendable {
        let sequence: Int64
        let isDelivered: Bool
    }

    /// Removes requests, and of the keys of delivered ones those that are older than `oldest`.
    func remove(_ removals: [Removal], at date: Date, forgettingKeysBefore oldest: Date) async throws {
        guard !removals.isEmpty else { return }
        try await database.write { transaction in
            var isKeyKept = false
            for removal in removals {
                let sequence = SQLValue.integer(removal.sequence)
                if removal.isDelivered {
                    try transaction.run(
                        """
                        INSERT OR REPLACE INTO queue_delivered (idempotency_key, id, at)
                        SELECT idempotency_key, id, ?2 FROM queue_request WHERE sequence = ?1 AND idempotency_key IS NOT NULL
                        """,
                        [sequence, .real(date.timeIntervalSince1970)]
                    )
                    if transaction.changes > 0 { isKeyKept = true }
                }
                try transaction.run("DELETE FROM queue_request WHERE sequence = ?", [sequence])
            }
            guard isKeyKept else { return }
            try transaction.run("DELETE FROM queue_delivered WHERE at < ?", [.real(oldest.timeIntervalSince1970)])
        }
    }

    /// Stores that an answer failed a try.
    func note(_ sequence: Int64, retryCount: Int, notBefore: Date?) async throws {
        try await database.write { transaction in
            try transaction.run(
                "UPDATE queue_request SET retry_count = ?, not_before = ? WHERE sequence = ?",
                [
                    .integer(Int64(retryCount)), notBefore.map { .real($0.timeIntervalSince1970) } ?? .null,
                    .integer(sequence),
                ]
            )
        }
    }

    private static func known(
        _ request: RetryableRequest,
        since oldest: Date,
        _ transaction: borrowing Transaction
    ) throws -> UUID? {
        var found = try transaction.rows("SELECT id FROM queue_request WHERE id = ?", [.text(request.id.uuidString)])
        if found.isEmpty, let key = request.idempotencyKey {
            found = try transaction.rows(
                """
                SELECT id FROM queue_request WHERE idempotency_key = ?1
                UNION ALL SELECT id FROM queue_delivered WHERE idempotency_key = ?1 AND at >= ?2
                """,
                [.text(key), .real(oldest.timeIntervalSince1970)]
            )
        }
        return found.first?[0].text.flatMap { UUID(uuidString: $0) }
    }

    private static let columns = """
        id, endpoint, method, body, made, retry_count, max_retries, type, headers, idempotency_key, ordering_key, \
        requirement, expires
        """

    private static func columns(withBody: Bool) -> String {
        withBody ? columns : columns.replacing("body", with: "NULL AS body")
    }

    /// A count or a size: at most so much that those of a million requests can be added.
    ///
    /// A damaged file may hold any number.
    private static func number(_ value: SQLValue) -> Int { Int(max(0, min(value.integer ?? 0, 1 << 40))) }

    /// nil for a row that this program did not write.
    private static func request(_ row: SQLRow) -> RetryableRequest? {
        guard let id = row["id"].text.flatMap({ UUID(uuidString: $0) }),
            let endpoint = row["endpoint"].text, let method = row["method"].text,
            let headers = row["headers"].text,
            let fields = try? JSONDecoder().decode([String: String].self, from: Data(headers.utf8))
        else { return nil }
        func date(_ column: String) -> Date? {
            // A damaged file may hold any number, and an infinite one cannot be written as a date.
            row[column].real.flatMap { abs($0) < 1e12 ? Date(timeIntervalSince1970: $0) : nil }
        }
        return RetryableRequest(
            id: id,
            endpoint: endpoint,
            method: method,
            body: row["body"].blob.map { Data($0) },
            timestamp: date("made") ?? .distantPast,
            retryCount: number(row["retry_count"]),
            maxRetries: number(row["max_retries"]),
            requestType: row["type"].text ?? "",
            headers: fields,
            idempotencyKey: row["idempotency_key"].text,
            orderingKey: row["ordering_key"].text,
            requirement: row["requirement"].text,
            expiresAt: date("expires")
        )
    }
}

extension QueueStore {
    static let tables = ["queue_request", "queue_delivered"]

    /// A change needs the next version of `RequestQueue.schema`, and of every other schema with these tables.
    static let definition = """
        CREATE TABLE queue_request (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            endpoint TEXT NOT NULL,
            method TEXT NOT NULL,
            body BLOB,
            made REAL NOT NULL,
            retry_count INTEGER NOT NULL,
            max_retries INTEGER NOT NULL,
            type TEXT NOT NULL,
            headers TEXT NOT NULL,
            idempotency_key TEXT,
            ordering_key TEXT,
            requirement TEXT,
            expires REAL,
            size INTEGER NOT NULL,
            lane TEXT NOT NULL,
            not_before REAL
        );
        CREATE INDEX queue_request_key ON queue_request (idempotency_key) WHERE idempotency_key IS NOT NULL;
        CREATE TABLE queue_delivered (idempotency_key TEXT PRIMARY KEY NOT NULL, id TEXT NOT NULL, at REAL NOT NULL);
        CREATE INDEX queue_delivered_at ON queue_delivered (at);
        """
}
