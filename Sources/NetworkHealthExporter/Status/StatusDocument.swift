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
        /// Of the newest value; null where the exporter of the host has it.
        @Nullable var ageSeconds: Double?

        init(_ latency: NetworkLatency?, age: Duration?) {
            _ageSeconds = Nullable(wrappedValue: age?.seconds.rounded())
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
    /// When this process started.
    var startedAt: Date
    var debug: Bool
    @Nullable var snapshot: SnapshotDocument?
    /// When being online or offline began; null while neither is known.
    @Nullable var since: Date?
    @Nullable var cause: String?
    var summary: String
    var stations: [Station]
    /// What is wrong now, the nearest to this host first; null before the first decision.
    @Nullable var faults: [FaultDocument]?
    /// The ways to the internet, those of the configuration first.
    var uplinks: [UplinkDocument]
    var targets: TargetStatuses
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
    /// The medians of the last tests over the current uplink.
    var usual: DirectionSpeeds
    /// What the contract promises for the current uplink.
    var plan: DirectionSpeeds
    /// The last time of the schedule at which no test began; null after a test.
    @Nullable var skipped: SkippedSpeedTest?
    @Nullable var nextAt: Date?
    @Nullable var running: ProgressDocument?
    var servers: [String]
    var canStart: Bool
    /// Why not.
    @Nullable var reason: String?
    /// When one can be started again, where that is known.
    @Nullable var canStartAt: Date?

    /// `measurement`: that of the current uplink.
    init(_ view: SpeedTestView, _ measurement: SpeedMeasurement?, _ network: SpeedTestNetwork, at now: Date) {
        let (service, refusal) = (view.service, view.refusal)
        let last = view.document?.last
        _last = Nullable(wrappedValue: last)
        _ageSeconds = Nullable(wrappedValue: last.map { max(0, now.timeIntervalSince($0.report.endedAt)).rounded() })
        let state = service.board.state
        let known = state.results.uplink(network.uplink)
        _counted = Nullable(wrappedValue: measurement.map { CountedSpeeds($0, known) })
        usual = DirectionSpeeds(known)
        let name = service.board.name(of: network.uplink)
        plan = DirectionSpeeds { state.plans[network.uplink, name: name][$0].named?.bitsPerSecond }
        _skipped = Nullable(wrappedValue: state.lastSkip.map(SkippedSpeedTest.init))
        _nextAt = Nullable(wrappedValue: state.nextRun)
        _running = Nullable(wrappedValue: state.running.map { ProgressDocument($0.progress) })
        servers = state.section.servers.map(\.name)
        canStart = refusal == nil
        _reason = Nullable(wrappedValue: refusal?.reason)
        _canStartAt = Nullable(wrappedValue: refusal?.seconds.map { now + $0 })
    }
}

/// A speed for each direction; null where there is none.
struct DirectionSpeeds: Encodable {
    @Nullable var downloadSpeedMbps: Double?
    @Nullable var uploadSpeedMbps: Double?

    /// What the line usually carries; null with fewer than five tests.
    init(_ known: SpeedTestResults.Values?) { self.init { known?.usual($0) } }

    /// In bits per second.
    init(_ speed: (Direction) -> Double?) {
        func megabits(_ direction: Direction) -> Double? { speed(direction).map { ($0 / 1e6).toFiveDigits } }
        _downloadSpeedMbps = Nullable(wrappedValue: megabits(.download))
        _uploadSpeedMbps = Nullable(wrappedValue: megabits(.upload))
    }
}

/// A time of the schedule at which no test began, and why.
struct SkippedSpeedTest: Encodable {
    var reason: String
    var at: Date

    init(_ skip: SpeedTestState.Skip) { (reason, at) = (skip.reason.rawValue, skip.at) }
}

/// The speeds that the quality and the requirements are judged by: fresh, and measured over the current uplink.
struct CountedSpeeds: Encodable {
    struct Speed: Encodable {
        var speedMbps: Double
        var measuredAt: Date
        /// This machine limited the test: the network carries at least this.
        var isLowerBound: Bool
        /// Half the width of the 95 % interval, as a share of the speed.
        var uncertaintyRatio: Double
        /// More than the device received in the same time: it is not the speed of the line.
        var exceedsDevice: Bool

        init(_ speed: SpeedMeasurement.Speed, _ transfer: SpeedTestResults.Measured<DirectionReport>?) {
            speedMbps = speed.rate.megabits
            (measuredAt, isLowerBound) = (speed.measuredAt, speed.isLowerBound)
            uncertaintyRatio = speed.uncertainty.toFiveDigits
            exceedsDevice = transfer?.at == speed.measuredAt && transfer?.value.exceedsDevice == true
        }
    }

    @Nullable var download: Speed?
    @Nullable var upload: Speed?

    init(_ measurement: SpeedMeasurement, _ known: SpeedTestResults.Values?) {
        _download = Nullable(wrappedValue: measurement.download.map { Speed($0, known?.transfers[.download]) })
        _upload = Nullable(wrappedValue: measurement.upload.map { Speed($0, known?.transfers[.upload]) })
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
