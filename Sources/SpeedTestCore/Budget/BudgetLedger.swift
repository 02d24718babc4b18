package import FoundationEssentials

/// The bytes that tests have used, by days of the process's time zone.
///
/// A clock that is set back frees nothing: bytes of later days count today and this month, and new bytes are charged to
/// the latest of these days until that is over. A day more than a month ahead comes from a wrong clock: its bytes are
/// charged to today by `settle`.
package struct BudgetLedger: Sendable, Equatable, Codable {
    private struct Entry: Sendable, Equatable, Codable {
        /// Days from 1970-01-01.
        var day: Int
        var bytes: UInt64
    }

    /// Bytes that one run, the day and the month may still use.
    package struct Remaining: Sendable, Equatable {
        package var run: UInt64
        package var day: UInt64
        package var month: UInt64

        package init(run: UInt64, day: UInt64, month: UInt64) {
            self.run = run
            self.day = day
            self.month = month
        }
    }

    private var entries: [Entry] = []

    /// Days ahead that are believed.
    private static let horizon = 31
    /// Days that are kept: two months, so that a clock set forward and back loses none.
    private static let capacity = 64
    /// 2026-01-01: a clock before it is not set yet.
    private static let firstDay = CalendarDate(year: 2026, month: 1, day: 1).number
    private static let lastDay = CalendarDate(year: 9999, month: 12, day: 31).number

    /// Without any use.
    package init() {}

    /// The bytes that may still be used at a date.
    package func remaining(_ budget: SpeedTestBudget, at date: Date) -> Remaining {
        let today = today(date)
        let month = Self.month(of: today, budget).first
        let leftOfDay = Self.left(of: budget.perDay, used: used(since: today))
        let leftOfMonth = Self.left(of: budget.perMonth, used: used(since: month))
        return Remaining(run: min(budget.perRun, leftOfDay, leftOfMonth), day: leftOfDay, month: leftOfMonth)
    }

    /// Charges the bytes of a run, at its end or, by its stored lease, after a crash.
    package mutating func charge(_ bytes: UInt64, at date: Date) {
        settle(at: date)
        guard bytes > 0 else { return }
        add(bytes, on: entries.map(\.day).reduce(today(date), max))
    }

    /// Charges to today what a wrong clock has charged far ahead; call it at the start and before `remaining`.
    package mutating func settle(at date: Date) {
        let today = today(date)
        let ahead = entries.filter { $0.day > today + Self.horizon }
        guard !ahead.isEmpty else { return }
        entries.removeAll { $0.day > today + Self.horizon }
        for entry in ahead { add(entry.bytes, on: today) }
    }

    private mutating func add(_ bytes: UInt64, on day: Int) {
        if let index = entries.firstIndex(where: { $0.day == day }) {
            entries[index].bytes = entries[index].bytes.addingSaturated(bytes)
            return
        }
        entries.append(Entry(day: day, bytes: bytes))
        entries.sort { $0.day < $1.day }
        if entries.count > Self.capacity { entries.removeFirst(entries.count - Self.capacity) }
    }

    /// The day by the clock; the last day with an entry where the clock is not set yet.
    private func today(_ date: Date) -> Int {
        let day = LocalTime(date).day
        return day >= Self.firstDay ? day : min(entries.map(\.day).reduce(Self.firstDay, max), Self.lastDay)
    }

    private func used(since day: Int) -> UInt64 {
        entries.filter { $0.day >= day }.reduce(0) { $0.addingSaturated($1.bytes) }
    }

    /// When the next month of the budget begins.
    func nextReset(_ budget: SpeedTestBudget, after date: Date) -> Date {
        Date(secondsSince1970: LocalDay(Self.month(of: today(date), budget).next).beginning(of: 0))
    }

    /// The first day of the budget's month that contains a day, and that of the next month.
    private static func month(of day: Int, _ budget: SpeedTestBudget) -> (first: Int, next: Int) {
        let date = CalendarDate(number: day)
        let resetDay = min(max(budget.resetDay, 1), 28)
        // A month here has its number from January of year 0 on.
        let month = date.year * 12 + date.month - 1 - (date.day < resetDay ? 1 : 0)
        func number(_ month: Int) -> Int {
            CalendarDate(year: month / 12, month: month % 12 + 1, day: resetDay).number
        }
        return (number(month), number(month + 1))
    }

    private static func left(of limit: UInt64, used: UInt64) -> UInt64 { limit > used ? limit - used : 0 }
}
