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
        /// Ours to answer.
        case answering
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
        case .answering: nil
        }
    }

    /// How often to look: a tenth of the shortest, between 20 ms and 1 s.
    var interval: Duration {
        max(.milliseconds(20), min(.seconds(1), min(headers, body) / 10))
    }
}
