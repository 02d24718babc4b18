/// How long an ndt7 client keeps its connection after the measurement, so that the WebSocket ends with a Close of each
/// side (RFC 6455 section 7): the rest of the present frame has to leave first, and what is on its way has to arrive.
struct NDT7Farewell {
    /// The state of the connection.
    struct State {
        /// Our Close has been sent.
        var isClosed: Bool
        /// The server's Close has arrived.
        var isAnswered: Bool
        /// Bytes of the whole connection, with those that arrive after a reset.
        var moved: UInt64
    }

    /// The maximum time.
    static let time = Duration.seconds(3)

    private let end: ContinuousClock.Instant
    private let byteLimit: UInt64

    /// nil where the connection is closed at once.
    ///
    /// - Parameters:
    ///   - end: why the run ended; nil: it failed or was cancelled.
    ///   - now: the time.
    ///   - wall: when it ends in any case.
    ///   - byteLimit: of a download, which ends before it by what is under way.
    init?(
        after end: NDT7Tally.End?,
        at now: ContinuousClock.Instant,
        wall: ContinuousClock.Instant,
        byteLimit: UInt64?
    ) {
        switch end {
        case .stable, .full, .byteLimit, .closed: break
        // RFC 6455 section 7.1.7: the connection of an invalid server is closed without an answer to the Close.
        case nil, .wall, .broken: return nil
        }
        self.end = min(now + Self.time, wall)
        self.byteLimit = byteLimit ?? .max
    }

    /// The remaining time; nil where both sides have closed, and where the time or the bytes are used up.
    func remaining(_ state: State, at now: ContinuousClock.Instant) -> Duration? {
        guard !(state.isClosed && state.isAnswered), now < end, state.moved < byteLimit else { return nil }
        return now.duration(to: end)
    }
}
