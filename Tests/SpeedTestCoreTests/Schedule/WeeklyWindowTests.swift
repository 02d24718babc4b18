import FoundationEssentials
import Testing

@testable import SpeedTestCore

/// In Europe/Berlin.
@Suite struct WeeklyWindowTests {
    init() { Berlin.zone }

    @Test(arguments: [
        // 2026-01-09 is a Friday; Berlin is an hour ahead.
        ("Mon-Fri 08:00-20:00", "2026-01-09 06:59:59", false),
        ("Mon-Fri 08:00-20:00", "2026-01-09 07:00", true),
        ("Mon-Fri 08:00-20:00", "2026-01-09 18:59:59", true),
        ("Mon-Fri 08:00-20:00", "2026-01-09 19:00", false),
        ("Mon-Fri 08:00-20:00", "2026-01-10 12:00", false),
        ("sat,SUN 00:00-24:00", "2026-01-09 22:59:59", false),
        ("sat,SUN 00:00-24:00", "2026-01-09 23:00", true),
        ("sat,SUN 00:00-24:00", "2026-01-11 22:59:59", true),
        ("sat,SUN 00:00-24:00", "2026-01-11 23:00", false),
        // Over midnight it belongs to the day on which it opens.
        ("22:00-06:00", "2026-01-09 21:00", true),
        ("22:00-06:00", "2026-01-10 04:59", true),
        ("22:00-06:00", "2026-01-10 05:00", false),
        ("Fri 22:00-06:00", "2026-01-09 04:00", false),
        ("Fri 22:00-06:00", "2026-01-10 04:00", true),
        ("Fri 22:00-00:00", "2026-01-09 22:30", true),
        ("Fri 22:00-00:00", "2026-01-09 23:00", false),
        // Over the end of the week.
        ("Fri-Mon 12:00-13:00", "2026-01-11 11:30", true),
        ("Fri-Mon 12:00-13:00", "2026-01-13 11:30", false),
        ("Sat 22:00-06:00", "2026-01-11 04:00", true),
        // The repeated hour counts twice.
        ("02:00-03:00", "2026-10-25 00:30", true),
        ("02:00-03:00", "2026-10-25 01:30", true),
        ("02:00-03:00", "2026-10-25 02:00", false),
    ])
    func `a window follows local time`(text: String, at: String, isOpen: Bool) throws {
        #expect(try WeeklyWindow(text).contains(LocalTime(utc(at))) == isOpen)
    }

    @Test(arguments: [
        (["Mon-Fri 08:00-20:00"], "2026-01-09 12:00", "2026-01-09 12:00"),
        (["Mon-Fri 08:00-20:00"], "2026-01-09 19:00", "2026-01-12 07:00"),
        (["Mon-Fri 08:00-20:00", "Sat,Sun 10:00-11:00"], "2026-01-09 19:00", "2026-01-10 09:00"),
        // The start is left out: it opens with the change, and what is left out as a whole the week after.
        (["Sun 02:30-05:00"], "2026-03-28 12:00", "2026-03-29 01:00"),
        (["Sun 02:00-03:00"], "2026-03-28 12:00", "2026-04-05 00:00"),
        // It was over, and the clocks went back into it.
        (["Sun 01:00-02:30"], "2026-10-25 00:45", "2026-10-25 01:00"),
    ])
    func `the next opening is found`(windows: [String], from: String, opening: String) throws {
        var schedule = SpeedTestSchedule()
        schedule.windows = try windows.map(WeeklyWindow.init)
        #expect(try schedule.opening(from: utc(from)) == utc(opening))
    }

    @Test(arguments: [
        "", "Mon", "Mon-Fri", "08:00", "08:00-", "8:00-20:00", "08:00-24:01", "24:00-08:00", "08:60-09:00",
        "08:00-08:00", "Mon Fri 08:00-20:00", "Mon- 08:00-20:00", "Mon,,Tue 08:00-20:00", "Monday 08:00-20:00",
        "Mon-Wed-Fri 08:00-20:00", "08:00-12:00-20:00", "0é:00-20:00",
    ])
    func `an invalid window is refused, quoted`(text: String) {
        let error = #expect(throws: WindowError.self) { try WeeklyWindow(text) }
        #expect(error?.description.hasPrefix("\"") == true)
    }
}
