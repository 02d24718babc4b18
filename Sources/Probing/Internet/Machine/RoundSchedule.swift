/// When the next round is due: a pure value.
struct RoundSchedule: Sendable {
    typealias Instant = InternetStateMachine.Instant

    /// The state after the last round.
    enum Situation: Sendable, Equatable {
        case healthy, captivePortal, offline
    }

    private var situation = Situation.healthy
    private var wait = Duration.zero

    /// Hosts that started together must not probe together: up to this share of the wait is taken off at random.
    static let jitter = 0.2

    /// The least wait after a round that took longer than its interval, unless the interval itself is shorter.
    static let shortestWait = Duration.seconds(1)

    /// Counts one more round.
    ///
    /// While the internet is reachable, intervals are counted from begin to begin: a round that waits for servers does not
    /// delay the next one.
    ///
    /// - Parameters:
    ///   - begin: of the round; `now`: there was none.
    ///   - now: its end.
    ///   - situation: the current state.
    ///   - path: an expensive one is checked less often; a constrained one not at all while online.
    ///   - configuration: the intervals.
    ///   - random: 0 to 1.
    /// - Returns: when the next round is due; nil: only an event starts it.
    mutating func next(
        after begin: Instant,
        at now: Instant,
        _ situation: Situation,
        over path: InternetPath,
        _ configuration: InternetConfiguration,
        random: Double
    ) -> Instant? {
        let isRepeated = situation == self.situation
        self.situation = situation
        switch situation {
        case .healthy:
            guard !path.isConstrained else { return nil }
            let interval = path.isExpensive ? configuration.expensiveInterval : configuration.interval
            let wait = interval * (1 - Self.jitter * random)
            return max(begin.advanced(by: wait), now.advanced(by: min(wait, Self.shortestWait)))
        case .captivePortal:
            wait = isRepeated ? min(wait * 1.5, .seconds(90)) : .seconds(20)
            return now.advanced(by: wait)
        case .offline:
            wait = isRepeated ? min(wait * 2, .seconds(60)) : .seconds(5)
            return now.advanced(by: wait)
        }
    }
}
