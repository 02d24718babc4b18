import FoundationEssentials
import NetworkHealth
import SpeedTestCore
import Statistics

/// What the history shows of a period: uptime, outages, speeds and latency, and what follows from them; pure but for the time zone.
struct Report: Sendable {
    /// Rows of the history, in ascending time.
    struct Rows: Sendable {
        var uptime = HourlyUptime()
        var outages: [OutageRow] = []
        /// Of standbys.
        var uplinkOutages: [UplinkOutageRow] = []
        var tests: [SpeedTestReport] = []
        /// By the minute or by the hour.
        var latency: [LatencyRow] = []
        var points: [PointRow] = []
    }

    /// A time without internet, as the history has it.
    struct Outage: Sendable {
        /// The standby that failed; nil: the host was offline.
        var uplink: String?
        var start: Double
        /// nil while it is ongoing.
        var end: Double?
        /// Without suspend.
        var seconds: Double
        var cause: String
        /// Where the fault was, or `unknown`.
        var location: String

        init?(_ row: OutageRow) {
            let document = row.document
            guard let start = RFC3339.parse(document.startedAt) else { return nil }
            (self.start, end) = (start, document.endedAt.flatMap(RFC3339.parse))
            (seconds, cause, location) = (document.seconds, document.cause, document.location)
        }

        init(_ row: UplinkOutageRow) {
            (uplink, start, end, seconds) = (row.uplink, row.outage.start, row.outage.end, row.seconds)
            (cause, location) = (row.outage.cause.rawValue, row.outage.location.rawValue)
        }
    }

    /// The tests over one uplink in one direction.
    struct Speed: Sendable {
        /// The label of the metrics.
        var uplink: String
        var direction: Direction
        /// In bits per second, of the tests that say something about the line.
        var series: ReportSeries
        /// For example `Download over eth0`.
        var name: String { "\(direction == .download ? "Download" : "Upload") over \(uplink)" }

        /// What was promised; empty: nothing.
        var plan: SpeedPlan.Rates
        /// How many of the tests reached each speed of the plan; empty without one.
        var reached: [SpeedPlan.Level: Int] = [:]
        /// Tests whose speed this host, another limit or other traffic explains.
        var excluded: Int
    }

    let period: ReportPeriod
    let clock: ReportClock
    let uptime: Uptime
    /// By the local day, in days since 1970-01-01; an hour belongs to the day in which it begins.
    let days: [Int: Uptime]
    /// How much of the period is in no number: the exporter did not run, or the host was suspended.
    let unobserved: Double
    /// Those of the host, the longest first.
    let outages: [Outage]
    /// Those of standbys, the longest first; in no other figure.
    let uplinkOutages: [Outage]
    let tests: [SpeedTestReport]
    let speeds: [Speed]
    /// The rounds of tests that were below the plan.
    let shortfalls: [PlanShortfall]
    /// In seconds, a point for each hour, which counts its minutes.
    let latency: ReportSeries
    /// The 95th percentiles, as `latency`.
    let latencyP95: ReportSeries
    let loss: ReportLoss
    let points: ReportPoints

    init(
        _ rows: Rows,
        of period: ReportPeriod,
        plans: Plans = Plans(),
        clock: ReportClock = ReportClock()
    ) {
        (self.period, self.clock) = (period, clock)
        let uptime = rows.uptime.filter { period.hours.contains($0.key) }
        self.uptime = uptime.values.reduce(into: Uptime()) { $0 += $1 }
        days = uptime.reduce(into: [:]) { $0[clock.day(Double($1.key) * 3600), default: Uptime()] += $1.value }
        unobserved = max(0, period.seconds - self.uptime.monitored)
        func longestFirst(_ outages: [Outage]) -> [Outage] {
            outages.filter { $0.start < period.until }.sorted { ($1.seconds, $0.start) < ($0.seconds, $1.start) }
        }
        outages = longestFirst(rows.outages.filter { $0.at >= period.since }.compactMap(Outage.init))
        uplinkOutages = longestFirst(rows.uplinkOutages.filter { $0.at >= period.since }.map(Outage.init))
        tests = rows.tests.filter { (period.since..<period.until).contains($0.startedAt.timeIntervalSince1970) }
            .map(plans.named)
        speeds = Self.speeds(tests, plans, clock)
        shortfalls = Self.rounds(tests).flatMap(PlanRule(plans: plans).shortfalls)
        // The same before and after the minutes have become hours in the history.
        let hours = LatencyRow.hours(of: rows.latency.filter { (period.since..<period.until).contains($0.at) })
        func series(_ value: (LatencyRow) -> Double?) -> ReportSeries {
            let points = hours.compactMap { row in
                value(row).map { ReportSeries.Point(at: row.at, value: $0, count: row.minutes ?? 1) }
            }
            return ReportSeries(points, clock)
        }
        (latency, latencyP95) = (series(\.p50), series(\.p95))
        loss = ReportLoss(hours, clock)
        points = ReportPoints(rows.points.filter { (period.since..<period.until).contains($0.at) })
    }

    private static func speeds(
        _ tests: [SpeedTestReport],
        _ plans: Plans,
        _ clock: ReportClock
    ) -> [Speed] {
        let uplinks = Dictionary(grouping: tests, by: \.uplinkLabel).sorted { $0.key < $1.key }
        return uplinks.flatMap { uplink, tests -> [Speed] in
            let plan = tests.first.map { plans[$0] } ?? SpeedPlan()
            return Direction.allCases.compactMap { direction in
                let measured = tests.compactMap { test in test[direction].map { (test.startedAt, $0) } }
                guard !measured.isEmpty else { return nil }
                let points = measured.filter { $0.1.isOfLine }.map {
                    ReportSeries.Point(at: $0.0.timeIntervalSince1970, value: $0.1.rate.bitsPerSecond)
                }
                var reached: [SpeedPlan.Level: Int] = [:]
                for level in SpeedPlan.Level.allCases {
                    guard let rate = plan[direction][level] else { continue }
                    reached[level] = points.count { $0.value >= rate.bitsPerSecond }
                }
                return Speed(
                    uplink: uplink,
                    direction: direction,
                    series: ReportSeries(points, clock),
                    plan: plan[direction],
                    reached: reached,
                    excluded: measured.count - points.count
                )
            }
        }
    }
}

extension DirectionReport {
    /// Whether the rate says something about the line: neither this host nor other traffic explains it.
    var isOfLine: Bool { !isLowerBound && !exceedsDevice && !limits.contains(.crossTraffic) }
}

/// The share of lost packets; means that count the minutes.
struct ReportLoss: Sendable, Equatable {
    struct Mean: Sendable, Equatable {
        var minutes = 0
        var ratio = 0.0

        fileprivate mutating func add(_ ratio: Double, _ minutes: Int) {
            self.ratio = (self.ratio * Double(self.minutes) + ratio * Double(minutes)) / Double(self.minutes + minutes)
            self.minutes += minutes
        }
    }

    /// nil where no minute has a loss that is known.
    private(set) var all: Mean?
    /// By the hour of the day.
    private(set) var hours: [Int: Mean] = [:]

    init(_ rows: [LatencyRow], _ clock: ReportClock) {
        for row in rows {
            guard let ratio = row.loss else { continue }
            var mean = all ?? Mean()
            mean.add(ratio, row.minutes ?? 1)
            all = mean
            hours[clock.hour(row.at), default: Mean()].add(ratio, row.minutes ?? 1)
        }
    }
}

/// The span of a report, in whole hours, since the uptime is counted by the hour; the current hour ends now.
struct ReportPeriod: Sendable, Equatable {
    /// In seconds since 1970.
    let since: Double
    let until: Double

    /// nil for a span that is empty, or has not begun.
    init?(since: Double, until: Double, now: Double) {
        let since = (since / 3600).rounded(.down) * 3600
        let until = min((until / 3600).rounded(.up) * 3600, now)
        guard since.magnitude < 1e12, until.magnitude < 1e12, since < until else { return nil }
        (self.since, self.until) = (since, until)
    }

    var seconds: Double { until - since }

    /// Its last moment, which is in it.
    var last: Double { until.nextDown }

    /// Since 1970.
    var hours: ClosedRange<Int64> {
        let first = Int64(since / 3600)
        return first...max(first, Int64((until / 3600).rounded(.up)) - 1)
    }
}
