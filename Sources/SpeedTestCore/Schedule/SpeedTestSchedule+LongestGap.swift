import Statistics

extension SpeedTestSchedule {
    /// The longest time between two runs that rhythm and windows allow.
    ///
    /// `speedtest_stale_after_seconds` is twice that. Skipped runs and changes of the clocks are not in it; whole seconds, at
    /// most 28 years.
    package func longestGap() -> Duration {
        var seconds = min(longestRhythm, Self.longest)
        if !windows.isEmpty {
            let wait = longestWait(after: Int((seconds / 60).rounded(.up)))
            seconds = min(seconds + Double(wait) * 60 + jitter.seconds, Self.longest)
        }
        return .seconds(Int(seconds.rounded(.up)))
    }

    private static let longest = 28 * 365.25 * 86_400

    /// In seconds, windows left out.
    private var longestRhythm: Double {
        let jitter = jitter.seconds
        let minGap = minGap.seconds
        switch rhythm {
        case .memoryless(_, let min, let max):
            return Swift.max(min, max).seconds + (min < self.minGap ? minGap : 0)
        case .interval(let interval):
            // Times within `minGap` of a run are left out.
            let interval = max(interval.seconds, 1)
            return max(1, (minGap / interval).rounded(.up)) * interval + jitter
        case .cron(let cron):
            let gaps = cron.gaps
            return Double(gaps.upperBound * 60) + jitter + (Double(gaps.lowerBound * 60) - jitter < minGap ? minGap : 0)
        }
    }

    /// The longest wait for a window, in minutes, of a run that falls due so long after one in a window.
    private func longestWait(after gap: Int) -> Int {
        let week = 7 * 1440
        let isOpen = (0..<week).map { minute in
            windows.contains { $0.contains(weekday: minute / 1440, minute: minute % 1440) }
        }
        // From each minute to the next open one: backwards, twice around, since a wait may cross the end of the week.
        var waits = [Int](repeating: 0, count: week)
        for minute in (0..<2 * week).reversed() {
            waits[minute % week] = isOpen[minute % week] ? 0 : waits[(minute + 1) % week] + 1
        }
        return (0..<week).filter { isOpen[$0] }.map { waits[($0 + gap) % week] }.max() ?? 0
    }
}
