extension CronExpression {
    /// The shortest and the longest time between two of its times, in minutes, on clocks that never change.
    ///
    /// Looked for in 28 years, after which dates and weekdays meet again (until 2100).
    var gaps: ClosedRange<Int> {
        let minutes = minutesOfDay
        let years = 28 * 365 + 7
        guard let first = minutes.first, let last = minutes.last else { return years * 1440...years * 1440 }
        let gapsOfDay = zip(minutes, minutes.dropFirst()).map { $1 - $0 }
        var shortest = gapsOfDay.min() ?? .max
        var longest = gapsOfDay.max() ?? 0
        let start = CalendarDate(year: 2024, month: 1, day: 1).number
        var previous: Int?
        for day in start..<start + years where isOn(day: day) {
            if let previous {
                let gap = (day - previous) * 1440 + first - last
                shortest = min(shortest, gap)
                longest = max(longest, gap)
            }
            previous = day
        }
        return longest == 0 ? years * 1440...years * 1440 : shortest...longest
    }
}
