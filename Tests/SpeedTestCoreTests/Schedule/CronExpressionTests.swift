import FoundationEssentials
import SpeedTestCore
import Testing

/// In Europe/Berlin: UTC+1, from 2026-03-29 01:00 to 2026-10-25 01:00 (both UTC) UTC+2.
@Suite struct CronExpressionTests {
    init() { Berlin.zone }

    @Test(arguments: [
        // The examples of crontab(5).
        ("5 0 * * *", "2026-01-10 12:00", "2026-01-10 23:05"),
        ("15 14 1 * *", "2026-01-10 12:00", "2026-02-01 13:15"),
        ("0 22 * * 1-5", "2026-01-09 22:00", "2026-01-12 21:00"),
        ("23 0-23/2 * * *", "2026-01-10 12:00", "2026-01-10 13:23"),
        ("5 4 * * sun", "2026-01-09 12:00", "2026-01-11 03:05"),
        ("0 4 8-14 * *", "2026-01-14 12:00", "2026-02-08 03:00"),
        // Both days restricted: either will do. The 15th, then Friday the 16th, then Friday the 23rd.
        ("30 4 1,15 * 5", "2026-01-14 12:00", "2026-01-15 03:30"),
        ("30 4 1,15 * 5", "2026-01-15 12:00", "2026-01-16 03:30"),
        ("30 4 1,15 * 5", "2026-01-16 12:00", "2026-01-23 03:30"),
        // A day field that begins with a star is not restricted: odd dates that are Sundays.
        ("0 0 */2 * sun", "2026-01-05 12:00", "2026-01-10 23:00"),
        ("0 0 */2 * sun", "2026-01-11 12:00", "2026-01-24 23:00"),
        // The contract's.
        ("17 */6 * * *", "2026-06-01 00:00", "2026-06-01 04:17"),
        // Sunday has two numbers and a name; names in any case, also in ranges and lists.
        ("0 0 * * 0", "2026-01-09 12:00", "2026-01-10 23:00"),
        ("0 0 * * 7", "2026-01-09 12:00", "2026-01-10 23:00"),
        ("0 0 * * SAT-sun", "2026-01-10 12:00", "2026-01-10 23:00"),
        ("0 0 * * 5-7", "2026-01-10 12:00", "2026-01-10 23:00"),
        ("0 0 1 Feb,oct *", "2026-03-01 12:00", "2026-09-30 22:00"),
        ("0 0 1 jun-JUL *", "2026-06-15 12:00", "2026-06-30 22:00"),
        // Nicknames, tabs and spaces.
        ("@hourly", "2026-01-10 12:00", "2026-01-10 13:00"),
        ("@daily", "2026-01-10 12:00", "2026-01-10 23:00"),
        ("@midnight", "2026-01-10 12:00", "2026-01-10 23:00"),
        ("@weekly", "2026-01-09 12:00", "2026-01-10 23:00"),
        ("@Monthly", "2026-01-10 12:00", "2026-01-31 23:00"),
        ("@yearly", "2026-01-10 12:00", "2026-12-31 23:00"),
        ("@annually", "2026-01-10 12:00", "2026-12-31 23:00"),
        (" 5\t4  * * * ", "2026-01-10 12:00", "2026-01-11 03:05"),
        // After a time means after it, also in the second before and within the minute.
        ("5 4 * * *", "2026-01-10 03:05", "2026-01-11 03:05"),
        ("5 4 * * *", "2026-01-10 03:04:59", "2026-01-10 03:05"),
        ("* * * * *", "2026-01-10 03:05:30", "2026-01-10 03:06"),
        // Leap days: 2100 has none.
        ("0 12 29 2 *", "2026-01-10 12:00", "2028-02-29 11:00"),
        ("0 12 29 2 *", "2096-03-01 12:00", "2104-02-29 11:00"),
        ("0 12 31 * *", "2026-01-31 12:00", "2026-03-31 10:00"),
    ])
    func `the next time is that of crontab(5)`(text: String, after: String, next: String) throws {
        try #expect(CronExpression(text).next(after: utc(after)) == utc(next))
    }

    @Test(arguments: [
        // A fixed time that is left out: right after the change, once, and on its time the day after.
        ("30 2 * * *", ["2026-03-28 01:30", "2026-03-29 01:00", "2026-03-30 00:30"]),
        ("0,30 2,3 * * *", ["2026-03-28 02:30", "2026-03-29 01:00", "2026-03-29 01:30", "2026-03-30 00:00"]),
        // Wildcards follow the clock on the wall, which goes from 01:59 to 03:00.
        ("30 * * * *", ["2026-03-29 00:30", "2026-03-29 01:30", "2026-03-29 02:30"]),
        ("*/30 2 * * *", ["2026-03-28 01:30", "2026-03-30 00:00"]),
        ("@hourly", ["2026-03-29 00:00", "2026-03-29 01:00", "2026-03-29 02:00"]),
        // A fixed time that is repeated: the first of both.
        ("30 2 * * *", ["2026-10-24 00:30", "2026-10-25 00:30", "2026-10-26 01:30"]),
        ("0,30 2,3 * * *", ["2026-10-25 00:00", "2026-10-25 00:30", "2026-10-25 02:00", "2026-10-25 02:30"]),
        // Wildcards: both.
        ("30 * * * *", ["2026-10-25 00:30", "2026-10-25 01:30", "2026-10-25 02:30"]),
        (
            "*/30 2 * * *",
            ["2026-10-25 00:00", "2026-10-25 00:30", "2026-10-25 01:00", "2026-10-25 01:30", "2026-10-26 01:00"]
        ),
    ])
    func `clock changes are handled as in cron(8)`(text: String, times: [String]) throws {
        let cron = try CronExpression(text)
        for (time, next) in zip(times, times.dropFirst()) {
            try #expect(cron.next(after: utc(time)) == utc(next), "after \(time)")
        }
    }

    @Test func `a fixed time in a repeated hour occurs in its first pass only`() throws {
        let cron = try CronExpression("30 2 * * *")
        #expect(try cron.next(after: utc("2026-10-25 01:10")) == utc("2026-10-26 01:30"))
    }

    @Test(arguments: [
        ("", "0 fields where five are expected: minute, hour, day of month, month, day of week"),
        ("* * * *", "4 fields where five are expected: minute, hour, day of month, month, day of week"),
        ("* * * * * root", "6 fields where five are expected: minute, hour, day of month, month, day of week"),
        ("60 * * * *", "minute: \"60\" where 0-59 is expected"),
        ("* 24 * * *", "hour: \"24\" where 0-23 is expected"),
        ("* * 0 * *", "day of month: \"0\" where 1-31 is expected"),
        ("* * * 13 *", "month: \"13\" where 1-12 or jan-dec is expected"),
        ("* * * * 8", "day of week: \"8\" where 0-7 or sun-sat is expected"),
        ("* * * * monday", "day of week: \"monday\" where 0-7 or sun-sat is expected"),
        ("mon * * * *", "minute: \"mon\" where 0-59 is expected"),
        ("+5 * * * *", "minute: \"+5\" where 0-59 is expected"),
        ("99999999999999999999 * * * *", "minute: \"99999999999999999999\" where 0-59 is expected"),
        ("1,,2 * * * *", "minute: \"\" where 0-59 is expected"),
        ("1-2-3 * * * *", "minute: \"2-3\" where 0-59 is expected"),
        ("30-10 * * * *", "minute: \"30-10\": a range goes from the lower to the higher value"),
        ("5/10 * * * *", "minute: \"5/10\": a step follows * or a range, as in */10 or 8-18/2"),
        ("*/0 * * * *", "minute: \"*/0\": the step is a whole number from 1 on"),
        ("*/ * * * *", "minute: \"*/\": the step is a whole number from 1 on"),
        ("*/5/2 * * * *", "minute: \"*/5/2\": the step is a whole number from 1 on"),
        ("0 0 30 feb *", "day of month: \"30\" never occurs in month \"feb\""),
        ("0 0 31 4,6 *", "day of month: \"31\" never occurs in month \"4,6\""),
    ])
    func `an invalid field is refused with its name`(text: String, message: String) {
        let error = #expect(throws: CronError.self) { try CronExpression(text) }
        #expect(error?.description == message)
    }

    @Test func `an unknown nickname is refused with the known ones`() {
        let error = #expect(throws: CronError.self) { try CronExpression("@reboot") }
        #expect(error?.description.contains("\"@reboot\"") == true)
        #expect(error?.description.contains("\"@weekly\"") == true)
    }

    @Test func `an impossible day is valid beside a weekday`() throws {
        #expect(try CronExpression("0 0 30 2 mon").next(after: utc("2026-02-04 12:00")) == utc("2026-02-08 23:00"))
    }

    @Test func `a leap day that must be a Sunday may be too far away`() throws {
        let cron = try CronExpression("0 0 29 2 */7")
        #expect(try cron.next(after: utc("2026-02-04 12:00")) == utc("2032-02-28 23:00"))
        #expect(try cron.next(after: utc("2032-03-01 12:00")) == nil)
    }

    @Test func `no date traps`() throws {
        let cron = try CronExpression("30 2 29 2 *")
        for seconds in [-Double.infinity, -1e300, -1, 0, 1e12, 1e300, .infinity, .nan] {
            _ = cron.next(after: Date(timeIntervalSince1970: seconds))
        }
    }
}
