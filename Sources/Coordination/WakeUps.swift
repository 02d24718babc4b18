/// Calls an owner back whose next time changes often.
///
/// A `Task.sleep` that is cancelled keeps its task and its timer until its time, about 600 bytes (Swift 6.3 on Linux). No
/// sleep is therefore cancelled here: one that is too early for the owner ends, and another one follows.
///
/// The requests may come from clients, so their number makes no more than `limit` sleeps, and one for each time that the nearest
/// end can be halved: 39 from an hour to a nanosecond.
package final class WakeUps: Sendable {
    private struct Sleep: Sendable {
        var end: Duration
        var task: Task<Void, Never>
    }

    /// So many sleeps end when they are asked to; more than an owner needs that does not follow its clients.
    package static let limit = 16

    /// The nearest end last.
    private let sleeps = Locked<[Sleep]>([])
    private let stopwatch: Stopwatch

    /// - Parameter stopwatch: its clock is that of the times.
    package init(_ stopwatch: Stopwatch) { self.stopwatch = stopwatch }

    deinit {
        for sleep in sleeps.withLock({ $0 }) { sleep.task.cancel() }
    }

    /// When the sleeps end, the nearest last.
    package var ends: [Duration] { sleeps.withLock { $0.map(\.end) } }

    /// Calls back at a time, and possibly earlier.
    ///
    /// - Parameters:
    ///   - time: by the stopwatch.
    ///   - onTime: the same for all requests of an owner; returns the next time that the owner waits for.
    package func request(at time: Duration, _ onTime: @escaping @Sendable () -> Duration?) {
        sleeps.withLock { sleeps in
            var end = time
            if let nearest = sleeps.last?.end {
                let now = stopwatch.elapsed
                // One that is over calls back at once.
                guard max(time, now) < nearest else { return }
                if sleeps.count >= Self.limit { end = min(time, now + (nearest - now) / 2) }
            }
            let task = Task { [weak self, stopwatch, end] in
                guard (try? await stopwatch.sleep(until: end)) != nil, let self else { return }
                remove(end)
                if let next = onTime() { request(at: next, onTime) }
            }
            sleeps.append(Sleep(end: end, task: task))
        }
    }

    private func remove(_ end: Duration) {
        sleeps.withLock { sleeps in
            if let index = sleeps.lastIndex(where: { $0.end == end }) { sleeps.remove(at: index) }
        }
    }
}
