/// How long to wait for the next round: a pure value.
struct RoundSchedule: Sendable {
    /// The state after the last round.
    enum Situation: Sendable, Equatable {
        case healthy, captivePortal, offline
    }

    private var situation = Situation.healthy
    private var wait = Duration.zero

    /// Hosts that started together must not probe together: up to this share of the wait is taken off at random.
    static let jitter = 0.2

    /// Counts one more round.
    ///
    /// - Parameters:
    ///   - situation: the current state.
    ///   - path: an expensive one is checked less often; a constrained one not at all while online.
    ///   - configuration: the intervals.
    ///   - random: 0 to 1.
    /// - Returns: the wait for the next round; nil: only an event starts it.
    mutating func next(
        _ situation: Situation,
        over path: InternetPath,
        configuration: InternetConfiguration,
        random: Double
    ) -> Duration? {
        let isRepeated = situation == self.situation
        self.situation = situation
        switch situation {
        case .healthy:
            guard !path.isConstrained else { return nil }
            let interval = path.isExpensive ? configuration.expensiveInterval : configuration.interval
            return interval * (1 - Self.jitter * random)
        case .captivePortal:
            wait = isRepeated ? min(wait * 1.5, .seconds(90)) : .seconds(20)
            return wait
        case .offline:
            wait = isRepeated ? min(wait * 2, .seconds(60)) : .seconds(5)
            return wait
        }
    }
}
