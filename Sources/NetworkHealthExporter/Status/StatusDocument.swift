import FoundationEssentials
import NetworkHealth
import Probing
import SpeedTestCore
import Statistics

/// `/api/v1/status`: what the page shows, in one answer; unknown is `null`.
struct StatusDocument: Encodable {
    struct UptimePart: Encodable {
        var monitoredSeconds: Double
        var offlineSeconds: Double
        @Nullable var ratio: Double?

        init(_ uptime: Uptime) {
            monitoredSeconds = uptime.monitored.rounded(toPlaces: 3)
            offlineSeconds = uptime.offlineTotal.rounded(toPlaces: 3)
            _ratio = Nullable(wrappedValue: uptime.ratio?.rounded(toPlaces: 6))
        }
    }

    struct UptimeParts: Encodable {
        var day, week, month: UptimePart
    }

    struct Day: Encodable {
        var date: String
        var monitoredSeconds: Double
        var offlineSeconds: [String: Double]

        init(_ day: UptimeReport.Day) {
            date = String(RFC3339.text(Double(day.number) * 86_400).prefix(10))
            monitoredSeconds = day.uptime.monitored.rounded(toPlaces: 3)
            let causes = day.uptime.offline.map { ($0.key.rawValue, $0.value.rounded(toPlaces: 3)) }
            offlineSeconds = Dictionary(uniqueKeysWithValues: causes)
        }
    }

    struct Latency: Encodable {
        @Nullable var seconds: Double?
        @Nullable var jitterSeconds: Double?
        @Nullable var lossRatio: Double?

        init(_ latency: NetworkLatency?) {
            _seconds = Nullable(wrappedValue: latency?.latency?.seconds.toMicroseconds)
            _jitterSeconds = Nullable(wrappedValue: latency?.jitter?.seconds.toMicroseconds)
            _lossRatio = Nullable(wrappedValue: latency?.lossRatio?.toFiveDigits)
        }
    }

    struct Queue: Encodable {
        var enabled: Bool
        @Nullable var pending: Int?
    }

    var version = Version.number
    var debug: Bool
    @Nullable var snapshot: SnapshotDocument?
    /// When being online or offline began; null while neither is known.
    @Nullable var since: Date?
    @Nullable var cause: String?
    var summary: String
    var stations: [ConnectionStage]
    @Nullable var uptime: UptimeParts?
    @Nullable var days: [Day]?
    @Nullable var outages: [OutageRow.Document]?
    var speedTest: SpeedTestStatus
    @Nullable var budget: BudgetStatus?
    @Nullable var estimate: String?
    var requirements: [HealthDocument]
    var latency: Latency
    var hosts: [String]
    var queue: Queue
}

extension StatusDocument {
    /// What the history has; nil where it cannot be read.
    mutating func set(_ report: UptimeReport, _ outages: [OutageRow]) {
        uptime = UptimeParts(
            day: UptimePart(report.day),
            week: UptimePart(report.week),
            month: UptimePart(report.month)
        )
        days = report.days.map(Day.init)
        self.outages = outages.map(\.document)
    }
}

/// The speed tests: the last, the next, and whether one can be started.
struct SpeedTestStatus: Encodable {
    @Nullable var last: LastSpeedTest?
    @Nullable var ageSeconds: Double?
    /// The last test may be another one: a result that this machine limited does not replace a higher one.
    @Nullable var counted: CountedSpeeds?
    @Nullable var nextAt: Date?
    @Nullable var running: ProgressDocument?
    var servers: [String]
    var canStart: Bool
    /// Why not.
    @Nullable var reason: String?

    /// `measurement`: that of the current uplink.
    init(_ view: SpeedTestView, _ measurement: SpeedMeasurement?, at now: Date) {
        let (service, reason) = (view.service, view.reason)
        let last = view.document?.last
        _last = Nullable(wrappedValue: last)
        _ageSeconds = Nullable(wrappedValue: last.map { max(0, now.timeIntervalSince($0.report.endedAt)).rounded() })
        _counted = Nullable(wrappedValue: measurement.map(CountedSpeeds.init))
        let state = service.board.state
        _nextAt = Nullable(wrappedValue: state.nextRun)
        _running = Nullable(wrappedValue: state.running.map { ProgressDocument($0.progress) })
        servers = state.section.servers.map(\.name)
        canStart = reason == nil
        _reason = Nullable(wrappedValue: reason)
    }
}

/// The speeds that the quality and the requirements are judged by: fresh, and measured over the current uplink.
struct CountedSpeeds: Encodable {
    struct Speed: Encodable {
        var speedMbps: Double
        var measuredAt: Date
        /// This machine limited the test: the network carries at least this.
        var isLowerBound: Bool

        init(_ speed: SpeedMeasurement.Speed) {
            speedMbps = speed.rate.megabits
            (measuredAt, isLowerBound) = (speed.measuredAt, speed.isLowerBound)
        }
    }

    @Nullable var download: Speed?
    @Nullable var upload: Speed?

    init(_ measurement: SpeedMeasurement) {
        _download = Nullable(wrappedValue: measurement.download.map(Speed.init))
        _upload = Nullable(wrappedValue: measurement.upload.map(Speed.init))
    }
}

/// The bytes of speed tests in the budget's day and month.
struct BudgetStatus: Encodable {
    var dayLimitBytes, dayUsedBytes, monthLimitBytes, monthUsedBytes: UInt64
    /// When the budget's next month begins.
    var resetsAt: Date

    /// nil while no test is configured.
    init?(_ state: SpeedTestState, _ network: SpeedTestNetwork, at now: Date) {
        guard state.section.isActive else { return nil }
        let (budget, remaining) = (state.section.budget, state.remaining(at: now))
        (dayLimitBytes, monthLimitBytes) = (budget.perDay, budget.perMonth)
        dayUsedBytes = budget.perDay - min(budget.perDay, remaining.day)
        monthUsedBytes = budget.perMonth - min(budget.perMonth, remaining.month)
        resetsAt = state.pace(network, now: now).reset
    }
}
