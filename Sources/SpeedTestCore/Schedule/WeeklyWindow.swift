/// A time of the week in which scheduled tests may start, such as `Mon-Fri 08:00-20:00`.
///
/// It follows local time: an hour that a clock change repeats counts twice, one that it skips never occurs.
package struct WeeklyWindow: Sendable, Equatable, CustomStringConvertible {
    package let description: String
    /// Days on which it opens; 0 is Sunday.
    private let days: Set<Int>
    /// The minute of the day on which it opens.
    let start: Int
    /// The minute at which it ends; up to `start`: on the next day.
    private let end: Int

    package init(_ text: String) throws(WindowError) {
        let words = text.split { $0 == " " || $0 == "\t" }
        let times = (words.last ?? "").split(separator: "-", omittingEmptySubsequences: false).map(Self.minute)
        guard (1...2).contains(words.count), times.count == 2, let start = times[0], let end = times[1], start < 1440
        else { throw WindowError(message: "\"\(text)\" where \"Mon-Fri 08:00-20:00\" or \"22:00-06:00\" is expected") }
        guard start != end else {
            throw WindowError(message: "\"\(text)\" ends when it begins; the whole day is 00:00-24:00")
        }
        days = words.count == 1 ? Set(0...6) : try Self.days(words[0])
        self.start = start
        self.end = end
        description = words.joined(separator: " ")
    }

    func contains(_ time: LocalTime) -> Bool { contains(weekday: time.weekday, minute: time.minute) }

    func contains(weekday: Int, minute: Int) -> Bool {
        guard end < start else { return days.contains(weekday) && (start..<end).contains(minute) }
        return days.contains(weekday) && minute >= start || days.contains((weekday + 6) % 7) && minute < end
    }

    /// `Mon`, `Mon-Fri`, `Fri-Mon`, or a list of them.
    private static func days(_ text: Substring) throws(WindowError) -> Set<Int> {
        var days: Set<Int> = []
        for item in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = item.split(separator: "-", omittingEmptySubsequences: false).map(Weekday.named)
            guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1] else {
                throw WindowError(message: "\"\(item)\" where a day (Mon) or a range of days (Mon-Fri) is expected")
            }
            for offset in 0...(last - first + 7) % 7 { days.insert((first + offset) % 7) }
        }
        return days
    }

    /// Parses `00:00` to `24:00`.
    private static func minute(_ text: Substring) -> Int? {
        let digits = Array(text.utf8).map { Int($0) - 48 }
        guard digits.count == 5, digits[2] == 10, (digits[0...1] + digits[3...4]).allSatisfy((0...9).contains),
            digits[3] < 6
        else { return nil }
        let minute = (digits[0] * 10 + digits[1]) * 60 + digits[3] * 10 + digits[4]
        return minute <= 1440 ? minute : nil
    }
}

/// Why a window is invalid.
package struct WindowError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was found, and what was expected.
    package var message: String

    package var description: String { message }
}
