import Glibc
import Posix

/// The time zone of schedules and budgets, which is the process's.
package enum LocalTimeZone {
    /// Whether a name of the IANA database can be used here: where tzdata is missing, only UTC.
    ///
    /// libc takes an unknown one for UTC without a word, so ask first.
    package static func isKnown(_ name: String) -> Bool {
        if name == "UTC" { return true }
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        // A file of its own below the database: neither absolute, nor above it, nor what POSIX writes (`CET-1CEST`).
        guard parts.allSatisfy({ !$0.isEmpty && $0.first != "." }), !name.utf8.contains(0) else { return false }
        let file = try? SmallFile.read("\(directory)/\(name)")
        return file?.starts(with: "TZif".utf8) == true
    }

    /// Makes it the process's zone; once, at the start, before other threads read the environment.
    package static func use(_ name: String) {
        WallClock.setZone(name)
    }

    private static var directory: String {
        getenv("TZDIR").map { String(cString: $0) } ?? "/usr/share/zoneinfo"
    }
}
