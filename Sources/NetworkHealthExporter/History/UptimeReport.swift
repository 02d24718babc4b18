import NetworkHealth
import Posix

/// The uptime of the last day, week and month, and of each day; pure but for the time zone.
struct UptimeReport: Sendable, Equatable {
    struct Day: Sendable, Equatable {
        /// Days since 1970-01-01.
        var number: Int
        var uptime: Uptime
    }

    /// Days that are shown, today included.
    static let dayLimit = 90

    /// The last 24 hours, to the hour; the current one counts.
    private(set) var day = Uptime()
    /// The last 7 times 24 hours.
    private(set) var week = Uptime()
    /// The last 30 times 24 hours.
    private(set) var month = Uptime()
    /// Those of the process's time zone with monitored time, the oldest first.
    ///
    /// An hour belongs to the day in which it begins.
    private(set) var days: [Day] = []

    /// - Parameters:
    ///   - hours: those outside of `hours(until:)` are left out.
    ///   - now: seconds since 1970.
    ///   - offset: the local clock minus UTC at a time, in seconds; times are seconds since 1970.
    init(_ hours: HourlyUptime, now: Double, offset: (Int) -> Int = WallClock.offset) {
        let range = Self.hours(until: now)
        func day(_ hour: Int64) -> Int {
            let seconds = Int(clamping: hour) * 3600
            return Int((Double(seconds + offset(seconds)) / 86_400).rounded(.down))
        }
        let today = day(range.upperBound)
        var days: [Int: Uptime] = [:]
        for (hour, uptime) in hours where range.contains(hour) {
            let age = range.upperBound - hour
            if age < 24 { self.day += uptime }
            if age < 7 * 24 { week += uptime }
            if age < 30 * 24 { month += uptime }
            days[day(hour), default: Uptime()] += uptime
        }
        self.days = days.filter { today - $0.key < Self.dayLimit && $0.value.monitored > 0 }
            .map(Day.init).sorted { $0.number < $1.number }
    }

    /// The hours that a report of that time needs, in seconds since 1970.
    static func hours(until now: Double) -> ClosedRange<Int64> {
        // A year far away, where the clock says none at all.
        let last = min(max(HourlyUptime.hour(now) ?? 0, 0), 1 << 32)
        return last - Int64(dayLimit + 1) * 24...last
    }
}
