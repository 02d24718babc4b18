import Coordination
import Glibc
import SpeedTestCore

/// What a server has moved, and when: the reference for what its client says of the same run.
///
/// A machine that takes half of the time away slows both of them down; the number that the server was configured with knows
/// nothing of that.
final class TransferLog: Sendable {
    private struct Moment {
        /// By the monotonic clock, in seconds.
        var time: Double
        /// Until then.
        var bytes: Double
    }

    private let moments = Locked<[Direction: [Moment]]>([:])

    func add(_ bytes: Int, _ direction: Direction, at time: Double = TransferLog.now) {
        moments.withLock { moments in
            let total = moments[direction]?.last?.bytes ?? 0
            moments[direction, default: []].append(Moment(time: time, bytes: total + Double(bytes)))
        }
    }

    /// The slowest and the fastest that any span of that length was, warm-up left out; bytes a second.
    ///
    /// A client's window is one of these spans. On an undisturbed machine both are the rate that was configured.
    ///
    /// `length` is that of the window that the client reports, `warmUp` the least that it leaves out before. nil where the
    /// log is shorter than both.
    func rates(
        _ direction: Direction,
        over length: Duration,
        after warmUp: Duration = .milliseconds(1400)
    ) -> ClosedRange<Double>? {
        let all = moments.withLock { $0[direction] ?? [] }
        guard let first = all.first, let last = all.last else { return nil }
        let length = length / .seconds(1)
        let moments = all.filter { $0.time >= first.time + warmUp / .seconds(1) }
        var rates: [Double] = []
        var end = 0
        for start in moments where start.time + length <= last.time {
            // The last moment in the span.
            while end + 1 < moments.count, moments[end + 1].time <= start.time + length { end += 1 }
            rates.append((moments[end].bytes - start.bytes) / length)
        }
        guard let least = rates.min(), let most = rates.max() else { return nil }
        return least...most
    }

    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}

extension ClosedRange<Double> {
    /// The range with that part of each end added to it.
    func widened(by tolerance: Double) -> ClosedRange<Double> {
        lowerBound * (1 - tolerance)...upperBound * (1 + tolerance)
    }
}
