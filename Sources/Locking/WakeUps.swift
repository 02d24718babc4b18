/// Calls an owner back whose next time changes often.
///
/// A `Task.sleep` that is cancelled keeps its task and its timer until its time, about 600 bytes (Swift 6.3 on Linux). No
/// sleep is therefore cancelled here: one that is too early for the owner ends, and another one follows.
package final class WakeUps: Sendable {
    private struct Sleep: Sendable {
        var end: Duration
        var task: Task<Void, Never>
    }

    /// The nearest end last.
    private let sleeps = Locked<[Sleep]>([])
    private let stopwatch: Stopwatch

    /// - Parameter stopwatch: its clock is that of the times.
    package init(_ stopwatch: Stopwatch) { self.stopwatch = stopwatch }

    deinit {
        for sleep in sleeps.withLock({ $0 }) { sleep.task.cancel() }
    }

    /// Calls back at a time, and possibly earlier.
    ///
    /// - Parameters:
    ///   - time: by the stopwatch.
    ///   - onTime: the same for all requests of an owner; returns the next time that the owner waits for.
    package func request(at time: Duration, _ onTime: @escaping @Sendable () -> Duration?) {
        sleeps.withLock { sleeps in
            if let nearest = sleeps.last, nearest.end <= time { return }
            let task = Task { [weak self, stopwatch] in
                guard (try? await stopwatch.sleep(until: time)) != nil, let self else { return }
                remove(time)
                if let next = onTime() { request(at: next, onTime) }
            }
            sleeps.append(Sleep(end: time, task: task))
        }
    }

    private func remove(_ end: Duration) {
        sleeps.withLock { sleeps in
            if let index = sleeps.lastIndex(where: { $0.end == end }) { sleeps.remove(at: index) }
        }
    }
}
