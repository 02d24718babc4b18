import FoundationEssentials

/// One accepted request as the decisions see it; times are those of the queue's monotonic clock.
struct QueueEntry: Sendable, Equatable {
    /// Grows with each acceptance.
    let sequence: Int64
    let id: UUID
    let lane: String
    let requirement: String?
    let size: Int
    let maxRetries: Int
    /// When it was made; negative: before the queue was opened.
    let made: Duration
    /// When it is discarded.
    let expires: Duration
    var retryCount = 0
    /// Before this it is not sent.
    var due: Duration
    /// Failed tries in a row, in this process.
    var failures = 0
    /// The last try brought no answer: the next one is made as soon as the network is back.
    var waitsForNetwork = false
    var isSending = false
    /// It left the queue while it was being sent; its lane waits for the end of the try.
    var isWithdrawn = false
    var lastStatus: Int?
    var lastError: String?
}

/// What the decisions need of a stored request.
struct QueueRecord: Sendable, Equatable {
    let sequence: Int64
    let id: UUID
    let lane: String
    let requirement: String?
    let size: Int
    let maxRetries: Int
    let retryCount: Int
    let made: Date
    var expires: Date?
    /// Until when a server asked to wait.
    var notBefore: Date?
}

extension QueueRecord {
    init(_ sequence: Int64, _ request: RetryableRequest) {
        self.init(
            sequence: sequence,
            id: request.id,
            lane: request.lane,
            requirement: request.requirement,
            size: request.size,
            maxRetries: request.maxRetries,
            retryCount: request.retryCount,
            made: request.timestamp,
            expires: request.expiresAt
        )
    }
}

extension QueueEntry {
    /// The entry of a stored request.
    ///
    /// `now` and `date` are the same moment; the wall clock may have been set since the request was made.
    init(_ record: QueueRecord, maxAge: Duration, now: Duration, date: Date) {
        let age = Duration.seconds(max(0, min(date.timeIntervalSince(record.made), 1e9)))
        let wished = record.expires.map { now + .seconds(max(-1e9, min($0.timeIntervalSince(date), 1e9))) }
        let wait = record.notBefore.map { Duration.seconds(max(0, min($0.timeIntervalSince(date), 86_400))) } ?? .zero
        self.init(
            sequence: record.sequence,
            id: record.id,
            lane: record.lane,
            requirement: record.requirement,
            size: record.size,
            maxRetries: record.maxRetries,
            made: now - age,
            expires: min(now - age + maxAge, wished ?? .seconds(1_000_000_000_000)),
            retryCount: record.retryCount,
            due: now + wait
        )
    }
}
