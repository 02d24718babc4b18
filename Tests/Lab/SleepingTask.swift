import Coordination

/// A task that only sleeps: how late it wakes is what this machine adds to a time that a test measures.
package final class SleepingTask: Sendable {
    private let longest: Locked<Duration>
    private let task: Task<Void, Never>

    package init() {
        let longest = Locked(Duration.zero)
        self.longest = longest
        task = Task {
            while !Task.isCancelled {
                let due = ContinuousClock.now + .milliseconds(1)
                // What is measured, not a wait for anything.
                try? await Task.sleep(until: due)
                let late = due.duration(to: .now)
                longest.withLock { $0 = max($0, late) }
            }
        }
    }

    deinit { task.cancel() }

    /// The longest so far.
    package var lateness: Duration { longest.withLock { $0 } }
}
