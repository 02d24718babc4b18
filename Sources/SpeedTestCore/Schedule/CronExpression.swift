package import FoundationEssentials

/// When to run, in the syntax of crontab(5) of Debian's cron.
///
/// Five fields, or `@hourly`, `@daily`, `@midnight`, `@weekly`, `@monthly`, `@yearly`, `@annually`. Where both days are
/// restricted, either suffices. When clocks change, as in cron(8): a job with `*` in its minute or hour follows local
/// time; one at a fixed time that is skipped runs right after the change, and one that is repeated runs once.
package struct CronExpression: Sendable, Equatable, CustomStringConvertible {
    package let description: String
    private let minute: CronField
    private let hour: CronField
    private let dayOfMonth: CronField
    private let month: CronField
    private let dayOfWeek: CronField

    package init(_ text: String) throws(CronError) {
        let words = text.split { $0 == " " || $0 == "\t" }
        description = words.joined(separator: " ")
        let fields = try Self.fields(words)
        minute = try CronField(fields[0], .minute)
        hour = try CronField(fields[1], .hour)
        dayOfMonth = try CronField(fields[2], .dayOfMonth)
        month = try CronField(fields[3], .month)
        dayOfWeek = try CronField(fields[4], .dayOfWeek)
        let longest = month.values.map { $0 == 2 ? 29 : [4, 6, 9, 11].contains($0) ? 30 : 31 }.max() ?? 0
        guard !dayOfWeek.isStar || (dayOfMonth.values.first ?? 0) <= longest else {
            throw CronError(field: "day of month", message: "\"\(fields[2])\" never occurs in month \"\(fields[3])\"")
        }
    }

    private static func fields(_ words: [Substring]) throws(CronError) -> [Substring] {
        if words.count == 1, words[0].first == "@" {
            guard let fields = nicknames[words[0].lowercased()] else {
                throw CronError(message: "\"\(words[0])\" where one of \(nicknames.keys.sorted()) is expected")
            }
            return fields.split(separator: " ")
        }
        guard words.count == 5 else {
            throw CronError(
                message: "\(words.count) fields where five are expected: minute, hour, day of month, month, day of week"
            )
        }
        return words
    }

    private static let nicknames = [
        "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
        "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
    ]

    /// The first time after a date; nil without one in eight years.
    package func next(after date: Date) -> Date? {
        let seconds = date.secondsSince1970
        let today = LocalTime(date).day
        for number in today...today + 8 * 366 where isOn(day: number) {
            let day = LocalDay(number)
            let instants = minutesOfDay.flatMap { isWildcard ? day.instants(of: $0) : [day.beginning(of: $0)] }
            if let next = instants.filter({ $0 > seconds }).min() { return Date(secondsSince1970: next) }
        }
        return nil
    }

    private var isWildcard: Bool { minute.isStar || hour.isStar }

    /// In order.
    var minutesOfDay: [Int] { hour.values.flatMap { hour in minute.values.map { hour * 60 + $0 } } }

    func isOn(day number: Int) -> Bool {
        let date = CalendarDate(number: number)
        guard month.values.contains(date.month) else { return false }
        let isDate = dayOfMonth.values.contains(date.day)
        let isWeekday = dayOfWeek.values.contains(Weekday.ofDay(number))
        return dayOfMonth.isStar || dayOfWeek.isStar ? isDate && isWeekday : isDate || isWeekday
    }
}

extension CronExpression {
    /// The shortest and the longest gap between two of its times, in minutes, on clocks that never change.
    ///
    /// Over 28 years, after which dates and weekdays repeat (until 2100).
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

/// Why a cron expression is invalid.
package struct CronError: Error, Sendable, Equatable, CustomStringConvertible {
    /// `minute`, `hour`, `day of month`, `month` or `day of week`; nil for the whole expression.
    package var field: String?
    /// What was found, and what was expected.
    package var message: String

    package var description: String { field.map { "\($0): \(message)" } ?? message }
}
