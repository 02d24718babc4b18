import NetworkHealth
import Storage

/// What was counted since the last transaction: a process that is killed leaves it beside its file, and the next one adds it.
///
/// It counts only where the file still has the hours that it follows: one that is older than the file, or of another file, adds
/// nothing, and none is added twice. No clock is compared.
struct UptimeTail: Sendable, Equatable {
    /// The hours of `more` as the file has them.
    private let stored: HourlyUptime
    private let more: HourlyUptime

    /// - Parameters:
    ///   - more: what is not in the file.
    ///   - stored: hours as the file has them; one that is missing has no row.
    init(_ more: HourlyUptime, after stored: HourlyUptime) {
        self.more = more
        self.stored = more.reduce(into: [:]) { $0[$1.key] = stored[$1.key] ?? Uptime() }
    }

    /// What is to be added to the hours of the file: nothing where it has not those that this follows.
    func missing(in transaction: borrowing Transaction) throws(StorageError) -> HourlyUptime {
        guard let first = more.keys.min(), let last = more.keys.max() else { return [:] }
        let found = try UptimeHistory.hours(first...last, in: transaction)
        return stored.allSatisfy { found[$0.key] ?? Uptime() == $0.value } ? more : [:]
    }

    /// Adds it to the hours, and to the ongoing outage, with which each transaction writes them.
    func credit(in transaction: borrowing Transaction) throws(StorageError) {
        let missing = try missing(in: transaction)
        try UptimeHistory.add(missing, in: transaction)
        for cause in OutageCause.allCases {
            let seconds = missing.offline(cause)
            if seconds > 0 { try OngoingOutage.extend(cause, by: seconds, in: transaction) }
        }
    }
}

extension UptimeTail {
    /// A line for each sum of an hour: the hour, its kind, the seconds that the file has, and those that follow.
    ///
    /// An empty line ends it.
    var bytes: [UInt8] {
        var text = ""
        for (hour, more) in more {
            let stored = stored[hour] ?? Uptime()
            let (before, after) = (UptimeHistory.sums(stored), UptimeHistory.sums(more))
            for kind in Set(before.keys).union(after.keys) {
                text += "\(hour) \(kind) \(before[kind, default: 0]) \(after[kind, default: 0])\n"
            }
        }
        return Array((text + "\n").utf8)
    }

    /// Reads it back; nil for anything else.
    ///
    /// What follows the empty line is left from a longer one.
    init?(_ bytes: [UInt8]) {
        var (stored, more) = (HourlyUptime(), HourlyUptime())
        var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)[...]
        while let line = lines.popFirst(), !line.isEmpty {
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            // A whole hour can have more than 3600: two clocks are read one after the other, and one may be set back.
            guard words.count == 4, let hour = Int64(words[0]),
                let before = Double(words[2]), UptimeHistory.believed.contains(before),
                let after = Double(words[3]), UptimeHistory.believed.contains(after)
            else { return nil }
            let kind = String(words[1])
            guard UptimeHistory.set(before, kind, of: hour, in: &stored),
                UptimeHistory.set(after, kind, of: hour, in: &more)
            else { return nil }
        }
        guard !lines.isEmpty, !more.isEmpty else { return nil }
        (self.stored, self.more) = (stored, more)
    }
}
