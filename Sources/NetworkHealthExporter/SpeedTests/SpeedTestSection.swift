import SpeedTestCore
import StrictYAML

/// The key `speedtest`: the servers, the schedule and the budget.
struct SpeedTestSection: Sendable, Equatable {
    /// How several servers are used.
    enum Strategy: String, Sendable, CaseIterable {
        /// The first one that gives a result.
        case firstWorking = "first_working"
        /// All of them, one after the other.
        case each
    }

    /// By default, whether a server is configured.
    var isEnabled = false
    var servers: [SpeedTestServer] = []
    var strategy = Strategy.firstWorking
    var schedule = SpeedTestSchedule()
    /// From the first moment online to the first test; nil: auto.
    var initialDelay: Duration?
    /// IANA name; for cron expressions, windows and the days of the budget.
    var timeZone = "UTC"
    var directions: [Direction] = [.download, .upload]
    /// Of the measured part of each direction.
    var window: ClosedRange<Duration> = .seconds(5) ... .seconds(25)
    var budget = SpeedTestBudget()
    var onExpensive = SpeedTestCostRule.skip
    var onConstrained = SpeedTestCostRule.skip
    var whenBusy = BusyRule.defer
    /// Of the link's measured speed.
    var busyRatio = 0.2
    /// When the last good values leave the metrics; nil: never.
    var dropAfter: Duration?

    /// Only where the section is on and names a server.
    var isActive: Bool { isEnabled && !servers.isEmpty }

    /// What has to be configured before a test can run; nil where nothing has to.
    var lack: (fact: String, step: String)? {
        if servers.isEmpty { return ("no speed-test server is configured", offer) }
        return isEnabled ? nil : ("speed tests are disabled", "Set speedtest.enabled")
    }

    /// Without a test no quality is excellent, which these requirements need; nil while tests run.
    var notice: String? {
        lack.map {
            "Speed is not measured, and largeDownload and largeUpload are satisfied only after a test: \($0.fact). \($0.step)"
        }
    }

    /// How a server is named, what it learns, and what tests cost.
    private var offer: String {
        """
        Name a speed-test server: \(FlagName.speedTestServer) is cloudflare, mlab (which publishes each result with this \
        host's address, and needs \(FlagName.acceptDataPolicy)) or a server of your own. It learns this host's address and \
        speeds. A test takes about 200 MB at 100 Mbit/s, at most \(SpeedTestText.size(budget.perRun)); all tests take at \
        most \(SpeedTestText.size(budget.perMonth)) a month
        """
    }

    /// Twice the longest time between two runs: an older result is stale.
    ///
    /// Not cheap with cron, of which it goes through the days of 28 years.
    var staleAfter: Duration { schedule.longestGap() * 2 }

    /// From the first moment online to the first test, where no plan is stored; nil: `min_gap` after the start.
    ///
    /// `isKept`: the start of a test outlives the process, so that a crash loop does not repeat it.
    func firstDelay(isKept: Bool) -> Duration? {
        if let initialDelay { return initialDelay }
        if case .cron = schedule.rhythm { return nil }
        return isKept ? .seconds(30) : nil
    }

    /// The default of `enabled`.
    mutating func enableByServers() { isEnabled = !servers.isEmpty }

    /// Applies the default of `enabled` where the key is absent; an error for `true` without a server.
    mutating func completeEnabled(at key: YAMLCursor?) -> [YAMLError] {
        guard let key else {
            enableByServers()
            return []
        }
        guard isEnabled, servers.isEmpty else { return [] }
        return [key.error("expected a server in servers, or by \(FlagName.speedTestServer)")]
    }

    /// The limits of one test, except its bytes.
    func options(directions: [Direction]) -> SpeedTestOptions {
        var options = SpeedTestOptions()
        options.directions = directions
        options.window = window
        // Room for the longest window, its warm-up and the phases before and between.
        options.directionWall = max(options.directionWall, window.upperBound + .seconds(10))
        options.testWall = max(options.testWall, options.directionWall * directions.count + .seconds(50))
        return options
    }
}

extension SpeedTestSection {
    static var keys: [YAMLKey<SpeedTestSection>] {
        let delay = YAMLType.duration(in: .zero ... .seconds(86_400))
        return [
            .key("enabled", \.isEnabled, .bool),
            .key("servers", \.servers, .list(of: SpeedTestServer.type, distinct: \.name)),
            .key("strategy", \.strategy, .oneOf),
            .key("schedule", \.schedule.rhythm, .rhythm),
            .key("jitter", \.schedule.jitter, delay),
            .key("min_gap", \.schedule.minGap, delay),
            .key("initial_delay", \.initialDelay, .keyword("auto", or: delay)),
            .key("timezone", \.timeZone, .timeZone),
            .key(
                "windows",
                \.schedule.windows,
                .list(of: .parsed("a window such as \"Mon-Fri 08:00-20:00\"") { try WeeklyWindow($0) })
            ),
            .key("directions", \.directions, .list(of: .oneOf)),
            .section(
                "duration",
                \.window.limits,
                [.key("min", \.min, measured), .key("max", \.max, measured)],
                complete: { (limits, map) throws(YAMLError) in
                    if !map.contains("max") { limits.max = max(limits.min, limits.max) }
                    guard limits.min <= limits.max else { throw map.error("expected at most max", at: "min") }
                }
            ),
            .section(
                "budget",
                \.budget,
                [
                    .key("per_run", \.perRun, volume), .key("per_day", \.perDay, volume),
                    .key("per_month", \.perMonth, volume), .key("reset_day", \.resetDay, .int(in: 1...28)),
                ]
            ),
            .key("on_expensive", \.onExpensive, .oneOf),
            .key("on_constrained", \.onConstrained, .oneOf),
            .key("when_busy", \.whenBusy, .oneOf),
            .key("busy_ratio", \.busyRatio, .ratio),
            .key("drop_after", \.dropAfter, .keyword("never", or: .duration(in: .seconds(60)...DurationText.longest))),
        ]
    }

    private static var measured: YAMLType<Duration> { .duration(in: .seconds(1) ... .seconds(60)) }

    /// Less is not enough for one second at any rate worth measuring.
    private static var volume: YAMLType<UInt64> {
        YAMLType.byteSize.checked("a size of at least 1MB") { $0 >= 1_000_000 }
    }

    static func complete(_ section: inout SpeedTestSection, _ map: MappingReader) throws(YAMLError) {
        if case .interval(let interval) = section.schedule.rhythm {
            if !map.contains("jitter") { section.schedule.jitter = min(section.schedule.jitter, interval) }
            for (key, value) in [("min_gap", section.schedule.minGap), ("jitter", section.schedule.jitter)]
            where value > interval {
                throw map.error("expected at most schedule.interval", at: key)
            }
        }
        guard Set(section.directions).count == section.directions.count else {
            throw map.error("expected each direction once", at: "directions")
        }
    }
}

extension ClosedRange<Duration> {
    /// The bounds, which may be in a wrong order while they are read.
    fileprivate struct Limits {
        var min: Duration
        var max: Duration
    }

    fileprivate var limits: Limits {
        get { Limits(min: lowerBound, max: upperBound) }
        set { self = newValue.min...Swift.max(newValue.min, newValue.max) }
    }
}

extension YAMLType where Value == SpeedTestSchedule.Rhythm {
    /// `mean`, `min` and `max`, or `interval`, or `cron`.
    fileprivate static var rhythm: YAMLType {
        let gap = YAMLType<Duration>.duration(in: .seconds(60) ... .seconds(90 * 86_400))
        return YAMLType<RhythmKeys>.section(
            RhythmKeys(of: SpeedTestSchedule().rhythm),
            [
                .key("mean", \.mean, .optional(gap)), .key("min", \.min, .optional(gap)),
                .key("max", \.max, .optional(gap)), .key("interval", \.interval, .optional(gap)),
                .key(
                    "cron",
                    \.cron,
                    .optional(.parsed("a cron expression such as \"17 */6 * * *\"") { try CronExpression($0) })
                ),
            ],
            complete: RhythmKeys.complete
        )
        .mapped(\.rhythm, RhythmKeys.init)
    }
}

/// The keys of `schedule`.
private struct RhythmKeys {
    var mean: Duration?
    var min: Duration?
    var max: Duration?
    var interval: Duration?
    var cron: CronExpression?

    init(of rhythm: SpeedTestSchedule.Rhythm) {
        switch rhythm {
        case .memoryless(let mean, let min, let max): (self.mean, self.min, self.max) = (mean, min, max)
        case .interval(let interval): self.interval = interval
        case .cron(let cron): self.cron = cron
        }
    }

    var rhythm: SpeedTestSchedule.Rhythm {
        if let interval { return .interval(interval) }
        if let cron { return .cron(cron) }
        guard let mean, let min, let max else { return SpeedTestSchedule().rhythm }
        return .memoryless(mean: mean, min: min, max: max)
    }

    static func complete(_ keys: inout RhythmKeys, _ map: MappingReader) throws(YAMLError) {
        let isMemoryless = ["mean", "min", "max"].contains { map.contains($0) }
        guard [map.contains("interval"), map.contains("cron"), isMemoryless].count(where: \.self) <= 1 else {
            throw map.error("expected one of mean (with min and max), interval and cron")
        }
        guard let mean = keys.mean else { return }
        // A mean alone keeps the ratios of the default: a tenth, and two and a half times.
        if map.contains("mean"), !map.contains("min") { keys.min = Swift.max(.seconds(60), mean / 10) }
        if map.contains("mean"), !map.contains("max") { keys.max = mean * 5 / 2 }
        guard let min = keys.min, let max = keys.max, min <= mean, mean <= max else {
            throw map.error("expected min, mean and max in this order", at: "mean")
        }
    }
}

extension YAMLType where Value: CustomStringConvertible {
    /// A text with a grammar of its own, whose parser throws the details of an error.
    fileprivate static func parsed(_ expectation: String, _ parse: @escaping (String) throws -> Value) -> YAMLType {
        YAMLType(
            expectations: [expectation],
            read: { cursor throws(YAMLError) in
                let text = try YAMLType<String>.text(expectation) { $0 }.read(cursor)
                do {
                    return try parse(text)
                } catch {
                    throw cursor.error("expected \(expectation), found \(JSONText.quoted(text)): \(error)")
                }
            },
            write: { .quoted("\($0)") }
        )
    }
}

extension YAMLType where Value == String {
    /// The name of a time zone that this machine has.
    fileprivate static var timeZone: YAMLType {
        .text("an IANA time zone that this machine knows (tzdata), such as UTC or Europe/Berlin") {
            LocalTimeZone.isKnown($0) ? $0 : nil
        }
    }
}
