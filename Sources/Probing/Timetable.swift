import Coordination

/// A value that knows when it is due next; a task sleeps until then.
protocol Timetable {
    /// nil: not before a change.
    var next: Duration? { get }
}

extension Locked where State: Timetable {
    /// Changes the value, and ends the sleep only where another time follows: some changes are reported every few seconds.
    ///
    /// - Parameters:
    ///   - stopwatch: measures the times of the value.
    ///   - alarm: of the task that sleeps.
    ///   - body: gets the time of the stopwatch.
    func change(at stopwatch: Stopwatch, waking alarm: Alarm, _ body: (inout State, _ now: Duration) -> Void) {
        let isOther = withLock { value in
            let before = value.next
            body(&value, stopwatch.elapsed)
            return value.next != before
        }
        if isOther { alarm.wake() }
    }
}
