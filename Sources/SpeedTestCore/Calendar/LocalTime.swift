import FoundationEssentials
import Posix

/// What a clock on the wall shows, in the process's time zone.
struct LocalTime: Sendable, Equatable {
    /// Days from 1970-01-01 to the date shown.
    let day: Int
    /// Of the day shown, 0…1439.
    let minute: Int

    init(_ date: Date) {
        let seconds = date.secondsSince1970
        let shown = seconds + WallClock.offset(at: seconds)
        day = Int((Double(shown) / 86_400).rounded(.down))
        minute = (shown - day * 86_400) / 60
    }

    var weekday: Int { Weekday.ofDay(day) }
}

extension Date {
    /// Whole seconds, from 1970 to the end of 9999: a clock may show anything.
    var secondsSince1970: Int {
        let seconds = timeIntervalSince1970
        return seconds.isNaN ? 0 : Int(min(max(seconds, 0), 253_402_300_799).rounded(.down))
    }

    init(secondsSince1970: Int) {
        self.init(timeIntervalSince1970: Double(secondsSince1970))
    }
}
