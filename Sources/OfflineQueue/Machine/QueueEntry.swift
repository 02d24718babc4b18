import FoundationEssentials

/// One accepted request as the decisions see it; times are those of the queue's monotonic clock.
struct QueueEntry: Sendable, Equatable {
    /// Grows with each acceptance.
    let sequence: Int64
    let id: UUID
    let lane: QueueLane.Key
    /// The ``QueueServer`` that it goes to: host and port.
    let server: String
    let requirement: String?
    let size: Int
    let maxRetries: Int
    /// When it was made; negative: before the queue was opened.
    let made: Duration
    /// When it is discarded, however young it is.
    let end: Duration
    var retryCount = 0
    /// Before this it is not sent.
    var due: Duration
    /// Failed tries in a row, in this process.
    var failures = 0
    var isSending = false
    /// It left the queue while it was being sent; its lane waits for the end of the try.
    var isWithdrawn = false
    var lastFailure: TryFailure?
    var lastStatus: Int?
    var lastError: String?

    /// The last try brought no answer: the next one is made as soon as the network is back.
    var waitsForNetwork: Bool { lastFailure == .noAnswer || lastFailure == .address }

    /// When it is discarded, where it may become so old.
    func expires(after maxAge: Duration) -> Duration { min(made + maxAge, end) }
}

/// The present on the queue's clock and on the wall clock.
struct QueueMoment: Sendable {
    let now: Duration
    let date: Date
}

extension QueueEntry {
    /// The entry of what is stored: `notBefore` is until when a server asked to wait.
    ///
    /// The wall clock may have been set since the request was made.
    init(
        sequence: Int64,
        id: UUID,
        lane: QueueLane.Key,
        server: String,
        requirement: String?,
        size: Int,
        maxRetries: Int,
        retryCount: Int,
        made: Date,
        expires: Date?,
        notBefore: Date?,
        at moment: QueueMoment
    ) {
        func wait(until date: Date, atMost limit: Double) -> Duration {
            .seconds(max(-1e9, min(date.timeIntervalSince(moment.date), limit)))
        }
        let age = max(.zero, .zero - wait(until: made, atMost: 1e9))
        let end = expires.map { moment.now + wait(until: $0, atMost: 1e9) }
        self.init(
            sequence: sequence,
            id: id,
            lane: lane,
            server: server,
            requirement: requirement,
            size: size,
            maxRetries: maxRetries,
            made: moment.now - age,
            end: end ?? .seconds(1_000_000_000_000),
            retryCount: retryCount,
            due: moment.now + (notBefore.map { max(.zero, wait(until: $0, atMost: 86_400)) } ?? .zero)
        )
    }

    /// The entry of a request that is new.
    init(_ sequence: Int64, _ request: RetryableRequest, notBefore: Date? = nil, at moment: QueueMoment) {
        self.init(
            sequence: sequence,
            id: request.id,
            lane: request.lane,
            server: RetryableRequest.server(of: request.endpoint),
            requirement: request.requirement,
            size: request.size,
            maxRetries: request.maxRetries,
            retryCount: request.retryCount,
            made: request.timestamp,
            expires: request.expiresAt,
            notBefore: notBefore,
            at: moment
        )
    }
}
