import FoundationEssentials
import Glibc
import Posix

/// Date and time in the process's time zone.
struct LocalTime: Sendable, Equatable {
    /// Days since 1970-01-01.
    let day: Int
    /// Minutes since midnight, 0…1439.
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
    /// Whole seconds, limited to 1970…9999: a clock may be anywhere.
    var secondsSince1970: Int {
        let seconds = timeIntervalSince1970
        return seconds.isNaN ? 0 : Int(min(max(seconds, 0), 253_402_300_799).rounded(.down))
    }

    init(secondsSince1970: Int) {
        self.init(timeIntervalSince1970: Double(secondsSince1970))
    }
}

/// The instants of one day in the process's time zone, and the change of its clocks in or near that day.
///
/// At most one change within 30 hours is found; no present zone has more.
package struct LocalDay {
    /// Days since 1970-01-01.
    let number: Int
    /// Seconds east of UTC before and from the change on.
    private let before: Int
    private let after: Int
    /// When the clocks change, in seconds since the epoch; nil on most days.
    let change: Int?

    package init(_ number: Int) {
        self.number = number
        let midnight = number * 86_400
        let start = midnight - WallClock.offset(at: midnight)
        var earlier = start - 3 * 3600
        var later = start + 27 * 3600
        before = WallClock.offset(at: earlier)
        after = WallClock.offset(at: later)
        guard before != after else {
            change = nil
            return
        }
        while later - earlier > 1 {
            let middle = (earlier + later) / 2
            if WallClock.offset(at: middle) == before { earlier = middle } else { later = middle }
        }
        change = later
    }

    /// When a minute of this day, 0…1439, occurs: once; twice where it is repeated, never where it is skipped.
    func instants(of minute: Int) -> [Int] {
        let shown = number * 86_400 + minute * 60
        guard let change else { return [shown - before] }
        var instants: [Int] = []
        if shown - before < change { instants.append(shown - before) }
        if shown - after >= change { instants.append(shown - after) }
        return instants
    }

    /// When a minute of this day begins; a skipped one begins with the change.
    package func beginning(of minute: Int) -> Int {
        instants(of: minute).first ?? change ?? number * 86_400
    }
}

/// The time zone of schedules and budgets, which is the process's.
package enum LocalTimeZone {
    /// Whether a name of the IANA database can be used here: where tzdata is missing, only UTC.
    ///
    /// libc silently uses UTC for an unknown one, so check first.
    package static func isKnown(_ name: String) -> Bool {
        if name == "UTC" { return true }
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        // A file of its own below the database: neither absolute, nor above it, nor what POSIX writes (`CET-1CEST`).
        guard parts.allSatisfy({ !$0.isEmpty && $0.first != "." }), !name.utf8.contains(0) else { return false }
        let file = try? SmallFile.read("\(directory)/\(name)")
        return file?.starts(with: "TZif".utf8) == true
    }

    /// Sets the process's zone; once, at the start, before other threads read the environment.
    package static func use(_ name: String) {
        WallClock.setZone(name)
    }

    private static var directory: String {
        getenv("TZDIR").map { String(cString: $0) } ?? "/usr/share/zoneinfo"
    }
}
