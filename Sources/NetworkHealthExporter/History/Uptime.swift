import NetworkHealth
import Statistics

/// How long the network was monitored, and how long of that it was offline; seconds without suspend.
///
/// Time in which the exporter did not run is in neither.
struct Uptime: Sendable, Equatable {
    var monitored = 0.0
    var offline: [OutageCause: Double] = [:]

    /// What a process has counted since its start.
    init(_ outages: OutageTracker, at now: SuspendingClock.Instant) {
        monitored = outages.monitored(at: now).seconds
        for cause in OutageCause.allCases {
            let seconds = outages.offline(cause, at: now).seconds
            if seconds > 0 { offline[cause] = seconds }
        }
    }

    init(monitored: Double = 0, offline: [OutageCause: Double] = [:]) {
        (self.monitored, self.offline) = (monitored, offline)
    }

    /// The sum over all causes; at most what was monitored.
    var offlineTotal: Double { min(monitored, offline.values.reduce(0, +)) }

    /// The share of the monitored time that was online, 0 to 1; nil where nothing was monitored.
    var ratio: Double? { monitored > 0 ? 1 - offlineTotal / monitored : nil }

    static func += (sum: inout Uptime, part: Uptime) {
        sum.monitored += part.monitored
        sum.offline.merge(part.offline, uniquingKeysWith: +)
    }
}

/// `Uptime` by the hour: hours since 1970, UTC.
typealias HourlyUptime = [Int64: Uptime]

extension HourlyUptime {
    /// The hour of a time in seconds since 1970; nil for a number that is no time.
    static func hour(_ time: Double) -> Int64? { Int64(exactly: (time / 3600).rounded(.down)) }

    /// The seconds of all hours that were offline by a cause.
    func offline(_ cause: OutageCause) -> Double { values.reduce(0) { $0 + $1.offline[cause, default: 0] } }

    mutating func add(_ other: HourlyUptime) { for (hour, uptime) in other { self[hour, default: Uptime()] += uptime } }

    /// Adds seconds that ended at a time: what is longer than the hour so far belongs to the hours before.
    fileprivate mutating func add(
        _ seconds: Double,
        until time: Double,
        to part: (inout Uptime, Double) -> Void
    ) {
        guard var hour = Self.hour(time) else { return }
        var (left, room) = (seconds, time - Double(hour) * 3600)
        while left > 0 {
            part(&self[hour, default: Uptime()], Swift.min(left, room))
            (left, room, hour) = (left - room, 3600, hour - 1)
        }
    }
}

/// Divides what a process has counted among the hours of the clock: a pure value that is given the time.
///
/// A clock that is set moves no time that was divided before: it is in the hours that the clock had then.
struct UptimeMeter: Sendable {
    /// When the counters of the monitor began; nil before the first reading.
    private var startedAt: SuspendingClock.Instant?
    private var counted = Uptime()

    /// Takes the counters of now, and returns what is new since the last call.
    ///
    /// - Parameters:
    ///   - outages: the counters, which begin at 0 where the monitor was started again; an older reading adds nothing.
    ///   - now: by their clock.
    ///   - time: the same instant, in seconds since 1970.
    /// - Returns: empty where nothing was monitored since.
    mutating func take(_ outages: OutageTracker, at now: SuspendingClock.Instant, time: Double) -> HourlyUptime {
        if startedAt != outages.startedAt { (startedAt, counted) = (outages.startedAt, Uptime()) }
        var hours = HourlyUptime()
        let total = Uptime(outages, at: now)
        let monitored = max(0, total.monitored - counted.monitored)
        hours.add(monitored, until: time) { $0.monitored += $1 }
        counted.monitored += monitored
        for (cause, seconds) in total.offline {
            // An outage is confirmed after its first evidence, which may be from the hour before.
            let new = max(0, seconds - counted.offline[cause, default: 0])
            hours.add(new, until: time) { $0.offline[cause, default: 0] += $1 }
            counted.offline[cause, default: 0] += new
        }
        return hours
    }
}
