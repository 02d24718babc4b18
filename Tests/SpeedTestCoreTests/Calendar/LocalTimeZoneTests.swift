import FoundationEssentials
import Glibc
import SpeedTestCore
import Testing

@Suite struct LocalTimeZoneTests {
    @Test(arguments: ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5"])
    func `zones of the database are known`(name: String) {
        #expect(LocalTimeZone.isKnown(name))
    }

    @Test(arguments: [
        "", "Europe", "Europe/", "Europe/Berlim", "/usr/share/zoneinfo/UTC", "../zoneinfo/Europe/Berlin",
        "Europe/../Europe/Berlin", "./Europe/Berlin", "zone.tab", "CEST-2", "Europe/Berlin\0x",
    ])
    func `other names are not`(name: String) {
        #expect(!LocalTimeZone.isKnown(name))
    }

    // Each in a process of its own: the zone is the process's.

    @Test func `without the database only UTC is known`() async {
        await #expect(processExitsWith: .success) {
            setenv("TZDIR", "/nonexistent", 1)
            #expect(LocalTimeZone.isKnown("UTC"))
            #expect(!LocalTimeZone.isKnown("Europe/Berlin"))
            try Self.check("30 2 * * *", in: "UTC", "2026-03-29 00:00", "2026-03-29 02:30", "2026-03-30 02:30")
        }
    }

    @Test func `a clock change of half an hour is handled`() async {
        await #expect(processExitsWith: .success) {
            // At 02:00, on 2026-04-05 back to 01:30, on 2026-10-04 to 02:30.
            let zone = "Australia/Lord_Howe"
            try Self.check("45 * * * *", in: zone, "2026-04-04 14:45", "2026-04-04 15:15", "2026-04-04 16:15")
            try Self.check("45 1 * * *", in: zone, "2026-04-03 14:45", "2026-04-04 14:45", "2026-04-05 15:15")
            try Self.check("15 2 * * *", in: zone, "2026-10-03 00:00", "2026-10-03 15:30", "2026-10-04 15:15")
        }
    }

    @Test func `a skipped day is handled`() async {
        await #expect(processExitsWith: .success) {
            // There was no 30 December 2011.
            let times = ("2011-12-29 23:00", "2011-12-30 10:00", "2011-12-30 22:00")
            try Self.check("0 12 * * *", in: "Pacific/Apia", times.0, times.1, times.2)
        }
    }

    private static func check(_ text: String, in zone: String, _ first: String, _ second: String, _ third: String)
        throws
    {
        LocalTimeZone.use(zone)
        let cron = try CronExpression(text)
        #expect(try cron.next(after: utc(first)) == utc(second))
        #expect(try cron.next(after: utc(second)) == utc(third))
    }
}
