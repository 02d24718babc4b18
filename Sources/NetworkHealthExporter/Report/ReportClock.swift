import Posix
import SpeedTestCore

/// The local time of a report's times, in seconds since 1970; pure but for the time zone.
struct ReportClock: Sendable {
    /// When evenings are looked at: the hours of the day in which most people are at home.
    static let evening = 20..<23

    /// The local clock minus UTC at a time.
    var offset: @Sendable (Int) -> Int = WallClock.offset

    private func shown(_ time: Double) -> Int {
        let seconds = Int(min(max(time, 0), 253_402_300_799).rounded(.down))
        return seconds + offset(seconds)
    }

    /// Days since 1970-01-01.
    func day(_ time: Double) -> Int { Int((Double(shown(time)) / 86_400).rounded(.down)) }

    /// 0…23.
    func hour(_ time: Double) -> Int { (shown(time) - day(time) * 86_400) / 3600 }

    /// Hours since the beginning of Monday, 0…167.
    func hourOfWeek(_ time: Double) -> Int { (Weekday.ofDay(day(time)) + 6) % 7 * 24 + hour(time) }

    /// For example `2026-10-01 20:15`.
    func text(_ time: Double) -> String {
        let minute = (shown(time) - day(time) * 86_400) / 60
        return "\(Self.date(day(time))) \(Self.padded(minute / 60)):\(Self.padded(minute % 60))"
    }

    /// For example `UTC+01:00`.
    func zone(_ time: Double) -> String {
        let minutes = offset(Int(min(max(time, 0), 253_402_300_799))) / 60
        return "UTC\(minutes < 0 ? "-" : "+")\(Self.padded(abs(minutes) / 60)):\(Self.padded(abs(minutes) % 60))"
    }

    /// For example `2026-10-01`.
    static func date(_ day: Int) -> String {
        let date = CalendarDate(number: day)
        return "\(date.year)-\(padded(date.month))-\(padded(date.day))"
    }

    /// The days of the week as `hourOfWeek` counts them.
    static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

    static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
