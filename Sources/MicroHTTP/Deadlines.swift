/// When a connection must have got on, whatever it sends meanwhile.
struct Deadlines: Sendable, Equatable {
    /// What a connection is busy with.
    enum Phase: Sendable, Equatable {
        /// From its acceptance on, until the headers of its first request are complete.
        case firstHeaders
        /// From the end of an answer on, until the headers of the next request are complete.
        case nextHeaders
        /// From the end of the headers on.
        case body
        /// A body that a sink takes, which has its own time.
        case receiving(Duration)
        /// Ours to answer.
        case answering
        /// An answer, or its end, that may take so long.
        case sending(Duration)
        /// HTTP's no longer.
        case upgraded

        /// Whether a late client can still be told so: no part of an answer was sent.
        var isInRequest: Bool {
            switch self {
            case .firstHeaders, .body, .receiving: true
            case .nextHeaders, .answering, .sending, .upgraded: false
            }
        }

        /// Whether the client's half is over, so that its end says nothing about what it still reads.
        var isAfterRequest: Bool {
            switch self {
            case .answering, .sending, .upgraded: true
            case .firstHeaders, .nextHeaders, .body, .receiving: false
            }
        }
    }

    var headers: Duration
    var body: Duration
    /// How long a connection may stay open between two requests.
    var idle: Duration

    /// The end of a phase that began at `start`; nil where there is none.
    func end(of phase: Phase, since start: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        switch phase {
        case .firstHeaders: start + headers
        case .nextHeaders: start + idle + headers
        case .body: start + body
        case .receiving(let limit), .sending(let limit): start + limit
        case .answering, .upgraded: nil
        }
    }

    /// How often to look: a tenth of the shortest, between 20 ms and 1 s.
    var interval: Duration {
        max(.milliseconds(20), min(.seconds(1), min(headers, body) / 10))
    }
}
