import Probing
import Statistics

/// Whether two hops see the same queue.
///
/// Probes of one round then wait alike. Two hops that are slow each for itself do not vary together.
enum SharedQueue {
    /// Probes of one round are sent at once.
    private static let round = Duration.milliseconds(300)
    private static let fewestPairs = 10
    /// Of the mean of the two deviations, what their difference deviates: 1.4 by chance, near 0 in one queue.
    private static let maxShare = 0.5
    /// A queue that is always full hardly varies, in seconds.
    private static let steady = 0.002

    static func isSeen(on way: Way, from distance: Int?, in scene: FaultScene, since start: FaultScene.Instant) -> Bool
    {
        let hops = way.hops.filter { $0.distance >= distance ?? .max }
        guard let first = hops.first else { return false }
        return hops.dropFirst().contains { isSeen(first.window, $0.window, since: start) }
    }

    static func isSeen(_ near: OutcomeWindow, _ far: OutcomeWindow, since start: OutcomeWindow.Instant) -> Bool {
        let others = far.timedValues(since: start).map { (sent: $0.at - $0.value, value: $0.value / .seconds(1)) }
        var (pairs, index) = ([(Double, Double)](), 0)
        for (at, value) in near.timedValues(since: start) {
            let sent = at - value
            while index < others.count, others[index].sent < sent - round { index += 1 }
            guard index < others.count, others[index].sent <= sent + round else { continue }
            pairs.append((value / .seconds(1), others[index].value))
            index += 1
        }
        guard pairs.count >= fewestPairs else { return false }
        let (one, other) = (deviations(pairs.map(\.0)), deviations(pairs.map(\.1)))
        let mean = (spread(one) + spread(other)) / 2
        return mean < steady || spread(zip(one, other).map(-)) < maxShare * mean
    }

    /// Of the median.
    private static func deviations(_ values: [Double]) -> [Double] {
        let median = values.median ?? 0
        return values.map { $0 - median }
    }

    private static func spread(_ deviations: [Double]) -> Double {
        deviations.map { abs($0) }.median ?? 0
    }
}
