/// How early a connection is closed in favour of a new one at a limit; the least goes first.
struct EvictionRank: Comparable, Sendable {
    /// What the server waits for.
    enum Kind: Int, Sendable {
        /// For its handler, while the client has gone.
        case abandoned
        /// For the client to close, as it has the whole answer to a request that was refused before its end.
        case refused
        /// For the rest of a request, whose bytes so far have all been read.
        case incompleteRequest
        /// For the client to take the rest of an answer, of which it took nothing for ``EvictionRank/patience``.
        case stuckAnswer
        /// For the next request.
        case idle
        /// For what must happen before the answer is due; it is answered at once.
        case held
        /// For the client to take the rest of an answer, of which it took nothing lately: the last resort, without which
        /// clients that never read keep all places, as each of them has ``EvictionRank/patience``.
        case unreadAnswer
        /// For itself: bytes have arrived that it has not read. It is behind with more connections than it may have.
        case unreadRequest
        /// For a request that arrives, or an answer, since a moment ago: not closed, but soon one of the others.
        case recent
    }

    /// How long an answer, or a body that a sink takes, may make no progress.
    static let patience: Duration = .seconds(5)

    let kind: Kind
    /// The oldest of a kind goes first.
    let since: ContinuousClock.Instant

    static func < (first: Self, second: Self) -> Bool {
        (first.kind.rawValue, first.since) < (second.kind.rawValue, second.since)
    }

    /// Returns nil for a connection that must not be closed.
    ///
    /// - Parameters:
    ///   - phase: What the connection is doing.
    ///   - start: Since when it has been doing that.
    ///   - hasUnread: Whether bytes have arrived that the server has not read.
    ///   - lastUnread: When bytes that the server had not read were seen last.
    ///   - grace: How long a first request has from then on, or from its beginning, twenty times that in all; and an answer.
    ///   - isAbandoned: Whether the client has hung up while a handler makes its answer.
    ///   - stuckSince: Since when it has made no progress; nil: it has, or its client owes nothing.
    ///   - now: The current time.
    init?(
        phase: Deadlines.Phase,
        since start: ContinuousClock.Instant,
        hasUnread: Bool,
        lastUnread: ContinuousClock.Instant?,
        grace: Duration,
        isAbandoned: Bool,
        stuckSince: ContinuousClock.Instant?,
        now: ContinuousClock.Instant
    ) {
        let isStuck = stuckSince.map { now - $0 >= Self.patience } ?? false
        let isNew = now - start < grace * 20
        switch phase {
        case .firstHeaders where isNew && (hasUnread || now - (lastUnread ?? start) < grace),
            .body where isNew && hasUnread, .nextHeaders where isNew && hasUnread:
            (kind, since) = (.recent, start)
        case .firstHeaders where hasUnread, .body where hasUnread, .nextHeaders where hasUnread:
            (kind, since) = (.unreadRequest, start)
        case .firstHeaders, .body: (kind, since) = (.incompleteRequest, start)
        case .receiving where isStuck: (kind, since) = (.incompleteRequest, start)
        case .answering where isAbandoned, .held where isAbandoned, .sending where isAbandoned:
            (kind, since) = (.abandoned, start)
        case .held: (kind, since) = (.held, start)
        case .answering where now - start < grace, .sending where now - start < grace,
            .refused where now - start < grace:
            (kind, since) = (.recent, start)
        case .answering, .sending:
            // Without progress from one look to the next, at least.
            guard let stuckSince, stuckSince < now else { return nil }
            (kind, since) = (isStuck ? .stuckAnswer : .unreadAnswer, stuckSince)
        case .refused: (kind, since) = (.refused, start)
        case .nextHeaders: (kind, since) = (.idle, start)
        case .receiving, .upgraded: return nil
        }
    }
}

/// Since when a connection has made no progress, as the kernel counts its bytes.
struct Progress: Sendable, Equatable {
    /// Bytes of both directions: received, and acknowledged by the client.
    private var bytes: UInt64?
    /// nil while there is progress.
    private(set) var stuckSince: ContinuousClock.Instant?

    /// Notes what the kernel counts now; `isWaiting` is false while the client owes nothing.
    mutating func note(_ bytes: UInt64, isWaiting: Bool, now: ContinuousClock.Instant) {
        if !isWaiting {
            stuckSince = nil
        } else if stuckSince == nil || self.bytes != bytes {
            stuckSince = now
        }
        self.bytes = bytes
    }
}
