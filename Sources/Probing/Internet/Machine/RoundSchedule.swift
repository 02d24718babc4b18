/// How long to wait for the next round: a pure value.
struct RoundSchedule: Sendable {
    /// What the last round left behind.
    enum Situation: Sendable, Equatable {
        case healthy, captive, offline
    }

    private var situation = Situation.healthy
    private var wait = Duration.zero

    /// Many hosts that started together shall not ask together: up to this share is taken off at random.
    static let jitter = 0.2

    /// Counts one more round.
    ///
    /// - Parameters:
    ///   - situation: the verdict that stands now.
    ///   - path: an expensive one is asked seldom; a constrained one not at all while all is well.
    ///   - configuration: the intervals.
    ///   - random: from 0 to 1.
    /// - Returns: the wait for the next; nil: there is none, whatever happens next starts it.
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
        case .captive:
            wait = isRepeated ? min(wait * 1.5, .seconds(120)) : .seconds(20)
            return wait
        case .offline:
            wait = isRepeated ? min(wait * 2, .seconds(60)) : .seconds(5)
            return wait
        }
    }
}
