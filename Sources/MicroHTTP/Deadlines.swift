/// The deadline of each phase of a connection.
struct Deadlines: Sendable, Equatable {
    /// The phase of a connection.
    enum Phase: Sendable, Equatable {
        /// From its acceptance on, until the headers of its first request are complete.
        case firstHeaders
        /// From the end of an answer on, until the headers of the next request are complete.
        case nextHeaders
        /// From the end of the headers on.
        case body
        /// A body that a sink takes, which has its own deadline.
        case receiving(Duration)
        /// A handler is making the answer.
        case answering
        /// The answer is held back until something has happened, and can be given at any time.
        case held
        /// An answer, or its end, that may take so long.
        case sending(Duration)
        /// Answered whole in the middle of the request; the client has so long to close.
        case refused(Duration)
        /// Upgraded: no longer HTTP.
        case upgraded

        /// Whether a late client can still be sent an error: no part of an answer was sent.
        var isInRequest: Bool {
            switch self {
            case .firstHeaders, .body, .receiving: true
            case .nextHeaders, .answering, .held, .sending, .refused, .upgraded: false
            }
        }

        /// Whether the request is complete, so that a closed sending half does not mean that the client has gone.
        var isAfterRequest: Bool {
            switch self {
            case .answering, .held, .sending, .refused, .upgraded: true
            case .firstHeaders, .nextHeaders, .body, .receiving: false
            }
        }

        /// Whether the progress of its bytes says whether the client still takes part.
        var hasProgress: Bool {
            switch self {
            case .receiving, .answering, .sending: true
            case .firstHeaders, .nextHeaders, .body, .held, .refused, .upgraded: false
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
        case .receiving(let limit), .sending(let limit), .refused(let limit): start + limit
        case .answering, .held, .upgraded: nil
        }
    }

    /// How often deadlines are checked: a tenth of the shortest, between 20 ms and 1 s.
    var interval: Duration {
        max(.milliseconds(20), min(.seconds(1), min(headers, body) / 10))
    }
}
