import SpeedTestCore
import StrictYAML

/// The key `speedtest`: against whom, how often and how much is measured.
struct SpeedTestSection: Sendable, Equatable {
    /// What becomes of several servers.
    enum Strategy: String, Sendable, CaseIterable {
        /// The first that gives a result; the others stand by.
        case firstWorking = "first_working"
        /// All of them, one after the other.
        case each
    }

    var isEnabled = false
    var servers: [SpeedTestServer] = []
    var strategy = Strategy.firstWorking
    var schedule = SpeedTestSchedule()
    /// IANA name; for cron expressions, windows and the days of the budget.
    var timeZone = "UTC"
    var directions: [Direction] = [.download, .upload]
    /// Of the measured part of each direction.
    var window: ClosedRange<Duration> = .seconds(5) ... .seconds(10)
    var budget = SpeedTestBudget()
    var onExpensive = SpeedTestCostRule.skip
    var onConstrained = SpeedTestCostRule.skip
    var whenBusy = BusyRule.defer
    /// Of the link's measured speed.
    var busyRatio = 0.2
    /// When the last good values leave the metrics; nil: never.
    var dropAfter: Duration?
}

extension SpeedTestSection {
    /// Only where the section is on and names a server.
    var isActive: Bool { isEnabled && !servers.isEmpty }

    /// The section as it would be written, secrets masked.
    var yaml: String {
        let sizes = [("per_run", budget.perRun), ("per_day", budget.perDay), ("per_month", budget.perMonth)]
        let budget =
            sizes.map { ($0.0, ByteSizeText.format(Int(clamping: $0.1))) } + [("reset_day", "\(budget.resetDay)")]
        let window = [
            ("min", DurationText.format(window.lowerBound)), ("max", DurationText.format(window.upperBound)),
        ]
        let lines = [
            "speedtest:",
            "  enabled: \(isEnabled)",
            servers.isEmpty ? "  servers: []" : "  servers:",
        ]
        let rest = [
            "  strategy: \(strategy.rawValue)",
            "  schedule: \(YAMLText.flow(schedule.rhythm.yamlEntries))",
            "  jitter: \(DurationText.format(schedule.jitter))",
            "  min_gap: \(DurationText.format(schedule.minGap))",
            "  timezone: \(YAMLText.quoted(timeZone))",
            "  windows: \(YAMLText.list(schedule.windows.map { YAMLText.quoted($0.description) }))",
            "  directions: \(YAMLText.list(directions.map(\.rawValue)))",
            "  duration: \(YAMLText.flow(window))",
            "  budget: \(YAMLText.flow(budget))",
            "  on_expensive: \(onExpensive.rawValue)",
            "  on_constrained: \(onConstrained.rawValue)",
            "  when_busy: \(whenBusy.rawValue)",
            "  busy_ratio: \(busyRatio)",
            "  drop_after: \(dropAfter.map(DurationText.format) ?? "never")",
        ]
        let entries = servers.map { "    - \(YAMLText.flow($0.yamlEntries))" }
        return (lines + entries + rest).joined(separator: "\n") + "\n"
    }
}

extension SpeedTestSchedule.Rhythm {
    fileprivate var yamlEntries: [(String, String)] {
        switch self {
        case .memoryless(let mean, let min, let max):
            [
                ("mean", DurationText.format(mean)), ("min", DurationText.format(min)),
                ("max", DurationText.format(max)),
            ]
        case .interval(let interval): [("interval", DurationText.format(interval))]
        case .cron(let cron): [("cron", YAMLText.quoted(cron.description))]
        }
    }
}
