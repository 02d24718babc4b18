import FoundationEssentials
import SpeedTestCore

/// The zone of every test of this process that reads a clock on the wall.
///
/// `TZ` is the whole process's, so it is set once: the first `setenv` of a variable frees nothing that another thread's
/// `getenv` may be reading. Other zones are tested in processes of their own.
enum Berlin {
    /// Ask for it in the `init` of a suite.
    static let zone: Void = LocalTimeZone.use("Europe/Berlin")
}

/// A date in UTC, as in `2026-03-29 01:00` or `2026-03-29 01:00:30`.
func utc(_ text: String) throws -> Date {
    let time = text.count == 16 ? "\(text):00" : text
    return try Date("\(time.replacing(" ", with: "T"))Z", strategy: .iso8601)
}
