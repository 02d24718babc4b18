import FoundationEssentials
import NetworkHealth
import SpeedTestCore
import Statistics

/// A report as JSON; unknown is `null`.
struct ReportDocument: Encodable, Sendable {
    /// Of this form: a member that changes its meaning, or is taken away, raises it.
    static let version = 1

    var version = Self.version
    var since: String
    var until: String
    var findings: [ReportFinding]
    var uptime: UptimePart
    /// The longest first.
    var outages: [OutagePart]
    /// Of standbys: no outages of the host, and in no other figure.
    var uplinkOutages: [OutagePart]
    var speedTests: SpeedPart
    var latency: LatencyPart

    struct UptimePart: Encodable, Sendable {
        var periodSeconds, monitoredSeconds, unobservedSeconds, offlineSeconds: Double
        @Nullable var onlineRatio: Double?
        var offlineSecondsByCause: [String: Double]
        var days: [Day]

        struct Day: Encodable, Sendable {
            var date: String
            var monitoredSeconds, offlineSeconds: Double
        }
    }

    struct OutagePart: Encodable, Sendable {
        /// Of a standby; left out of an outage of the host.
        var uplink: String?
        var startedAt: String
        @Nullable var endedAt: String?
        var seconds: Double
        var cause: String
        var location: String

        init(_ outage: Report.Outage) {
            uplink = outage.uplink
            startedAt = RFC3339.text(outage.start, milliseconds: true)
            endedAt = outage.end.map { RFC3339.text($0, milliseconds: true) }
            (seconds, cause, location) = (outage.seconds, outage.cause, outage.location)
        }
    }

    struct SpeedPart: Encodable, Sendable {
        var tests, failed: Int
        var points: [Point]
        var lines: [Line]
        /// Rounds of tests that were below the plan.
        var belowPlan: [PlanShortfall]

        struct Point: Encodable, Sendable {
            var at, server, uplink: String
            @Nullable var downloadSpeedMbps: Double?
            @Nullable var uploadSpeedMbps: Double?
            @Nullable var latencySeconds: Double?
            @Nullable var link: SpeedTestReport.Link?
            @Nullable var downloadConditions: Conditions?
            @Nullable var uploadConditions: Conditions?
            var limitedBy: [String]
            @Nullable var error: String?
        }

        /// What else was known of one direction of a test.
        struct Conditions: Encodable, Sendable {
            @Nullable var otherTrafficMbps: Double?
            @Nullable var queueLocation: QueueLocation?

            init(_ transfer: DirectionReport) {
                _otherTrafficMbps = Nullable(wrappedValue: transfer.otherTraffic?.megabits)
                _queueLocation = Nullable(wrappedValue: transfer.queue)
            }
        }

        /// The tests over one uplink in one direction; values in Mbit/s.
        struct Line: Encodable, Sendable {
            var uplink, direction: String
            var excluded: Int
            /// How many tests reached each speed of the plan.
            var reachedPlan: [String: Int]
            var series: SeriesPart
        }
    }

    struct LatencyPart: Encodable, Sendable {
        /// In seconds; a measurement is a minute.
        var median, p95: SeriesPart
        @Nullable var lossRatio: Double?
        var lossMinutes: Int
        var lossByHour: [LossHour]
        /// The points on the way.
        var points: [Point]
        /// From the first to the second router, by family.
        var lastMile: [LastMile]

        struct Point: Encodable, Sendable {
            var name: String
            var probes: Int
            @Nullable var medianSeconds: Double?
            var lossRatio: Double
        }

        /// How the delay follows the day; null where too little is known.
        struct LastMile: Encodable, Sendable {
            var family: String
            var halfHours: Int
            @Nullable var amplitudeSeconds: Double?
            @Nullable var severity: DailyPattern.Severity?
        }

        struct LossHour: Encodable, Sendable {
            var hour, minutes: Int
            var ratio: Double
        }
    }

    struct SeriesPart: Encodable, Sendable {
        @Nullable var all: Sample?
        @Nullable var evening: Sample?
        @Nullable var otherTimes: Sample?
        var eveningScore: Double
        var byHour: [Hour]
        var byHourOfWeek: [WeekHour]
        var byDay: [Day]

        struct Sample: Encodable, Sendable {
            var measurements: Int
            var median, tenth, lowest, highest: Double
        }

        struct Hour: Encodable, Sendable {
            var hour: Int
            var value: Sample
        }

        struct WeekHour: Encodable, Sendable {
            var weekday: String
            var hour: Int
            var value: Sample
        }

        struct Day: Encodable, Sendable {
            var date: String
            var value: Sample
        }

        /// - Parameters:
        ///   - series: the values.
        ///   - unit: what a value is divided by.
        init(_ series: ReportSeries, unit: Double = 1) {
            func sample(_ sample: ReportSample) -> Sample {
                Sample(
                    measurements: sample.count,
                    median: (sample.median / unit).toMicroseconds,
                    tenth: (sample.tenth / unit).toMicroseconds,
                    lowest: (sample.lowest / unit).toMicroseconds,
                    highest: (sample.highest / unit).toMicroseconds
                )
            }
            (all, evening, otherTimes) = (
                series.all.map(sample), series.evening.map(sample), series.otherTimes.map(sample)
            )
            eveningScore = series.eveningScore.rounded(toPlaces: 3)
            byHour = series.hours.sorted { $0.key < $1.key }.map { Hour(hour: $0.key, value: sample($0.value)) }
            byHourOfWeek = series.week.sorted { $0.key < $1.key }.map {
                WeekHour(weekday: ReportClock.weekdays[$0.key / 24], hour: $0.key % 24, value: sample($0.value))
            }
            byDay = series.days.sorted { $0.key < $1.key }.map {
                Day(date: ReportClock.date($0.key), value: sample($0.value))
            }
        }
    }

    init(_ report: Report) {
        (since, until) = (RFC3339.text(report.period.since), RFC3339.text(report.period.until))
        findings = report.findings
        let uptime = report.uptime
        self.uptime = UptimePart(
            periodSeconds: report.period.seconds.rounded(toPlaces: 3),
            monitoredSeconds: uptime.monitored.rounded(toPlaces: 3),
            unobservedSeconds: report.unobserved.rounded(toPlaces: 3),
            offlineSeconds: uptime.offlineTotal.rounded(toPlaces: 3),
            onlineRatio: uptime.ratio?.rounded(toPlaces: 6),
            offlineSecondsByCause: uptime.offline.reduce(into: [:]) {
                $0[$1.key.rawValue] = $1.value.rounded(toPlaces: 3)
            },
            days: report.days.sorted { $0.key < $1.key }.map { day, uptime in
                UptimePart.Day(
                    date: ReportClock.date(day),
                    monitoredSeconds: uptime.monitored.rounded(toPlaces: 3),
                    offlineSeconds: uptime.offlineTotal.rounded(toPlaces: 3)
                )
            }
        )
        outages = report.outages.map(OutagePart.init)
        uplinkOutages = report.uplinkOutages.map(OutagePart.init)
        speedTests = SpeedPart(
            tests: report.tests.count,
            failed: report.tests.count { $0.failure != nil },
            points: report.tests.map(SpeedPart.Point.init),
            lines: report.speeds.map {
                SpeedPart.Line(
                    uplink: $0.uplink,
                    direction: $0.direction.rawValue,
                    excluded: $0.excluded,
                    reachedPlan: $0.reached.reduce(into: [:]) { $0[$1.key.rawValue] = $1.value },
                    series: SeriesPart($0.series, unit: 1e6)
                )
            },
            belowPlan: report.shortfalls
        )
        latency = LatencyPart(
            median: SeriesPart(report.latency),
            p95: SeriesPart(report.latencyP95),
            lossRatio: report.loss.all?.ratio.rounded(toPlaces: 6),
            lossMinutes: report.loss.all?.minutes ?? 0,
            lossByHour: report.loss.hours.sorted { $0.key < $1.key }.map {
                LatencyPart.LossHour(
                    hour: $0.key,
                    minutes: $0.value.minutes,
                    ratio: $0.value.ratio.rounded(toPlaces: 6)
                )
            },
            points: report.points.points.map {
                LatencyPart.Point(
                    name: $0.name,
                    probes: $0.probes,
                    medianSeconds: $0.latency?.median.toMicroseconds,
                    lossRatio: $0.loss.rounded(toPlaces: 6)
                )
            },
            lastMile: report.points.lastMiles.map {
                LatencyPart.LastMile(
                    family: $0.family,
                    halfHours: $0.pattern?.measurements ?? 0,
                    amplitudeSeconds: $0.pattern?.amplitude.toMicroseconds,
                    severity: $0.pattern?.severity
                )
            }
        )
    }
}

extension ReportDocument.SpeedPart.Point {
    fileprivate init(_ test: SpeedTestReport) {
        let limits = Set(Direction.allCases.flatMap { test[$0]?.limitNames ?? [] }).sorted()
        self.init(
            at: RFC3339.text(test.startedAt.timeIntervalSince1970),
            server: test.server,
            uplink: test.uplinkLabel,
            downloadSpeedMbps: test.download?.rate.megabits,
            uploadSpeedMbps: test.upload?.rate.megabits,
            latencySeconds: test.ping.map { $0.latency.seconds.toMicroseconds },
            link: test.link,
            downloadConditions: test.download.map(ReportDocument.SpeedPart.Conditions.init),
            uploadConditions: test.upload.map(ReportDocument.SpeedPart.Conditions.init),
            limitedBy: limits,
            error: test.failure?.message
        )
    }
}
