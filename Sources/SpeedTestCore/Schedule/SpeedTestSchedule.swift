package import FoundationEssentials
import Glibc
import Statistics

/// When tests are due.
package struct SpeedTestSchedule: Sendable, Equatable {
    /// The rule for the due times.
    package enum Rhythm: Sendable, Equatable {
        /// Exponential gaps, clamped at both ends, without any pattern, as M-Lab requires.
        case memoryless(mean: Duration, min: Duration, max: Duration)
        /// A fixed grid, which a late run does not shift.
        case interval(Duration)
        /// Local times.
        case cron(CronExpression)
    }

    package var rhythm: Rhythm = .memoryless(mean: .seconds(21_600), min: .seconds(2160), max: .seconds(54_000))
    /// The maximum random delay of intervals, cron times, the first test, and tests at the opening of a window.
    package var jitter: Duration = .seconds(300)
    /// The minimum time from one start to the next scheduled one.
    package var minGap: Duration = .seconds(600)
    /// When tests may start; empty: always.
    package var windows: [WeeklyWindow] = []

    package init() {}
}

extension SpeedTestSchedule {
    /// The next time of the rhythm after a date, without jitter and windows, at the pace that the budget allows.
    ///
    /// - Parameters:
    ///   - date: The time is after it.
    ///   - grid: A time of the interval's grid.
    ///   - pace: A shorter gap of the rhythm is stretched to its gap, but not beyond the first time of the next month.
    ///   - random: The source of randomness.
    /// - Returns: The time; nil where cron has none in eight years.
    func nominal(
        after date: Date,
        grid: Date,
        pace: BudgetPace,
        using random: inout some RandomNumberGenerator
    ) -> Date? {
        let next = pace.isSpent ? nil : nominal(after: date, grid: grid, minMean: pace.meanGap, using: &random)
        guard pace.isSpent || next.map({ $0 > pace.reset }) == true else { return next }
        let fresh = nominal(after: max(date, pace.reset), grid: grid, minMean: 0, using: &random)
        return [next, fresh].compactMap(\.self).min()
    }

    /// `minMean`: a shorter mean gap of the rhythm is stretched to it, in seconds.
    private func nominal(
        after date: Date,
        grid: Date,
        minMean: TimeInterval,
        using random: inout some RandomNumberGenerator
    ) -> Date? {
        switch rhythm {
        case .memoryless(let mean, let min, let max):
            let stretch = Swift.max(1, minMean / Swift.max(meanGap, 1))
            let gap = -log(1 - Double.random(in: 0..<1, using: &random)) * mean.seconds * stretch
            return date + Swift.max(Swift.min(gap, max.seconds * stretch), min.seconds)
        case .interval(let interval):
            let interval = max(interval.seconds, 1)
            let steps = max(1, (minMean / interval).rounded(.up))
            return grid + ((date.timeIntervalSince(grid) / interval).rounded(.down) + steps) * interval
        case .cron(let cron):
            // The run before may have been a jitter late.
            return cron.next(after: date + max(0, minMean - jitter.seconds - 60))
        }
    }

    /// The mean of the rhythm's gaps, in seconds, without windows; of cron the shortest one, in the days of 28 years.
    var meanGap: TimeInterval {
        switch rhythm {
        case .memoryless(let mean, let min, let max):
            // The mean of an exponential distribution whose values are limited at both ends.
            let mean = Swift.max(mean.seconds, 1)
            return min.seconds + mean * (exp(-min.seconds / mean) - exp(-max.seconds / mean))
        case .interval(let interval): return max(interval.seconds, 1)
        case .cron(let cron): return Double(cron.gaps.lowerBound * 60)
        }
    }

    /// The runs in 30 days, by windows and minimum gap, jitter aside.
    ///
    /// It walks over four weeks, or over 2000 runs.
    package func runsPerMonth(from date: Date) -> Double {
        let end = date + 28 * 86_400
        var cron: CronExpression?
        if case .cron(let expression) = rhythm { cron = expression }
        let gap = cron == nil ? max(meanGap, minGap.seconds, 1) : 0
        var (time, runs) = (date, 0.0)
        while time < end, runs < 2000 {
            let next = cron.map { $0.next(after: time + max(minGap.seconds - 1, 0)) ?? end } ?? time + gap
            time = opening(from: next)
            runs += 1
        }
        let days = time.timeIntervalSince(date) / 86_400
        return days > 0 ? runs / days * 30 : 0
    }

    /// The date, or where it is outside of the windows a random time soon after the next one opens.
    func placed(_ date: Date, using random: inout some RandomNumberGenerator) -> Date {
        let opening = opening(from: date)
        guard opening > date else { return date }
        let later = opening + delay(using: &random)
        return isOpen(at: later) ? later : opening
    }

    /// 0…`jitter`, in seconds.
    func delay(using random: inout some RandomNumberGenerator) -> TimeInterval {
        Double.random(in: 0...max(jitter.seconds, 0), using: &random)
    }

    /// Intervals and cron times have a random delay; memoryless ones are random already.
    var isDelayed: Bool {
        if case .memoryless = rhythm { false } else { true }
    }
}

extension SpeedTestSchedule {
    func isOpen(at date: Date) -> Bool {
        guard !windows.isEmpty else { return true }
        let time = LocalTime(date)
        return windows.contains { $0.contains(time) }
    }

    /// The date itself in a window, else when the next one opens.
    func opening(from date: Date) -> Date {
        if isOpen(at: date) { return date }
        let today = LocalTime(date).day
        // A clock change may skip a whole window, so search more than a week.
        for number in today...today + 21 {
            let day = LocalDay(number)
            let openings = windows.flatMap { day.instants(of: $0.start) } + (day.change.map { [$0] } ?? [])
            let dates = openings.map { Date(secondsSince1970: $0) }
            if let next = dates.filter({ $0 > date && isOpen(at: $0) }).min() { return next }
        }
        return date
    }
}

extension SpeedTestSchedule {
    /// The longest gap between two runs that rhythm and windows allow.
    ///
    /// `speedtest_stale_after_seconds` is twice that. Skipped runs and clock changes do not count; whole seconds, at
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

    /// In seconds, without windows.
    private var longestRhythm: Double {
        let jitter = jitter.seconds
        let minGap = minGap.seconds
        switch rhythm {
        case .memoryless(_, let min, let max):
            return Swift.max(min, max).seconds + (min < self.minGap ? minGap : 0)
        case .interval(let interval):
            // Times within `minGap` of a run are skipped.
            let interval = max(interval.seconds, 1)
            return max(1, (minGap / interval).rounded(.up)) * interval + jitter
        case .cron(let cron):
            let gaps = cron.gaps
            return Double(gaps.upperBound * 60) + jitter + (Double(gaps.lowerBound * 60) - jitter < minGap ? minGap : 0)
        }
    }

    /// The longest wait for a window, in minutes, of a run that is due `gap` minutes after one in a window.
    private func longestWait(after gap: Int) -> Int {
        let week = 7 * 1440
        let isOpen = (0..<week).map { minute in
            windows.contains { $0.contains(weekday: minute / 1440, minute: minute % 1440) }
        }
        // From each minute to the next open one: backwards, twice, since a wait may cross the end of the week.
        var waits = [Int](repeating: 0, count: week)
        for minute in (0..<2 * week).reversed() {
            waits[minute % week] = isOpen[minute % week] ? 0 : waits[(minute + 1) % week] + 1
        }
        return (0..<week).filter { isOpen[$0] }.map { waits[($0 + gap) % week] }.max() ?? 0
    }
}
