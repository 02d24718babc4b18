import SpeedTestCore
import StrictYAML

extension SpeedTestSection {
    init(reading map: inout MappingReader, in folder: ConfigurationFolder) throws(YAMLError) {
        self.init()
        let isWanted = try map.optional("enabled", as: .bool)
        let server = YAMLType.section { (map: inout MappingReader) throws(YAMLError) in
            try SpeedTestServer(reading: &map, in: folder)
        }
        servers = try Self.distinct(try map.read("servers", as: .list(of: server.placed), default: []))
        isEnabled = isWanted ?? !servers.isEmpty
        guard !isEnabled || !servers.isEmpty else { throw map.error("expected a server in servers", at: "enabled") }
        strategy = try map.read("strategy", as: .oneOf, default: strategy)
        schedule.rhythm = try map.section("schedule", Self.rhythm)
        if case .interval(let interval) = schedule.rhythm { schedule.jitter = min(schedule.jitter, interval) }
        schedule.jitter = try map.read("jitter", as: .duration(in: .zero...Self.day), default: schedule.jitter)
        schedule.minGap = try map.read("min_gap", as: .duration(in: .zero...Self.day), default: schedule.minGap)
        if case .interval(let interval) = schedule.rhythm {
            for (key, value) in [("min_gap", schedule.minGap), ("jitter", schedule.jitter)] where value > interval {
                throw map.error("expected at most schedule.interval", at: key)
            }
        }
        timeZone = try map.read("timezone", as: .timeZone, default: timeZone)
        let window = YAMLType<WeeklyWindow>.parsed("a window such as \"Mon-Fri 08:00-20:00\"") { try WeeklyWindow($0) }
        schedule.windows = try map.read("windows", as: .list(of: window), default: [])
        directions = try map.read("directions", as: .list(of: .oneOf), default: directions)
        guard Set(directions).count == directions.count else {
            throw map.error("expected each direction once", at: "directions")
        }
        self.window = try map.section("duration", Self.window)
        budget = try map.section("budget", Self.budget)
        onExpensive = try map.read("on_expensive", as: .oneOf, default: onExpensive)
        onConstrained = try map.read("on_constrained", as: .oneOf, default: onConstrained)
        whenBusy = try map.read("when_busy", as: .oneOf, default: whenBusy)
        busyRatio = try map.read("busy_ratio", as: .ratio, default: busyRatio)
        let dropAfter = YAMLType.keyword("never", or: .duration(in: .seconds(60)...DurationText.longest))
        self.dropAfter = try map.read("drop_after", as: dropAfter, default: nil)
    }

    private static let day = Duration.seconds(86_400)

    private static func distinct(_ servers: [Placed<SpeedTestServer>]) throws(YAMLError) -> [SpeedTestServer] {
        var names: Set<String> = []
        for server in servers where !names.insert(server.value.name).inserted {
            throw server.error("the name \(JSONText.quoted(server.value.name)) is already taken")
        }
        return servers.map(\.value)
    }

    /// `mean`, `min` and `max`, or `interval`, or `cron`.
    private static func rhythm(_ map: inout MappingReader) throws(YAMLError) -> SpeedTestSchedule.Rhythm {
        let gap = YAMLType.duration(in: .seconds(60) ... .seconds(90 * 86_400))
        let interval = try map.optional("interval", as: gap)
        let cronType = YAMLType<CronExpression>.parsed("a cron expression such as \"17 */6 * * *\"") {
            try CronExpression($0)
        }
        let cron = try map.optional("cron", as: cronType)
        guard case .memoryless(let mean, let least, let most) = SpeedTestSchedule().rhythm else {
            throw map.error("expected a memoryless default")
        }
        let isMemoryless = ["mean", "min", "max"].contains { map.contains($0) }
        let newMean = try map.read("mean", as: gap, default: mean)
        // A mean alone keeps the shape of the default: a tenth, and two and a half times.
        let isGiven = map.contains("mean")
        let newLeast = try map.read("min", as: gap, default: isGiven ? max(.seconds(60), newMean / 10) : least)
        let newMost = try map.read("max", as: gap, default: isGiven ? newMean * 5 / 2 : most)
        guard [interval != nil, cron != nil, isMemoryless].count(where: \.self) <= 1 else {
            throw map.error("expected one of mean (with min and max), interval and cron")
        }
        if let interval { return .interval(interval) }
        if let cron { return .cron(cron) }
        guard newLeast <= newMean, newMean <= newMost else {
            throw map.error("expected min, mean and max in this order", at: "mean")
        }
        return .memoryless(mean: newMean, min: newLeast, max: newMost)
    }

    private static func window(_ map: inout MappingReader) throws(YAMLError) -> ClosedRange<Duration> {
        let window = SpeedTestSection().window
        let type = YAMLType.duration(in: .seconds(1) ... .seconds(60))
        let least = try map.read("min", as: type, default: window.lowerBound)
        let most = try map.read("max", as: type, default: max(window.upperBound, least))
        guard least <= most else { throw map.error("expected at most max", at: "min") }
        return least...most
    }

    private static func budget(_ map: inout MappingReader) throws(YAMLError) -> SpeedTestBudget {
        var budget = SpeedTestBudget()
        // Less is not enough for a second of anything.
        let size = YAMLType.byteSize.checked("a size of at least 1MB") { $0 >= 1_000_000 }
        func bytes(_ key: String, _ value: UInt64) throws(YAMLError) -> UInt64 {
            try map.optional(key, as: size).map { UInt64($0) } ?? value
        }
        budget.perRun = try bytes("per_run", budget.perRun)
        budget.perDay = try bytes("per_day", budget.perDay)
        budget.perMonth = try bytes("per_month", budget.perMonth)
        budget.resetDay = try map.read("reset_day", as: .int(in: 1...28), default: budget.resetDay)
        return budget
    }
}

extension YAMLType {
    /// A text with a grammar of its own, whose error says what is wrong with it.
    static func parsed(_ expectation: String, _ parse: @escaping (String) throws -> Value) -> YAMLType {
        YAMLType(expectations: [expectation]) { cursor throws(YAMLError) in
            let text = try YAMLType<String>.text(expectation) { $0 }.read(cursor)
            do {
                return try parse(text)
            } catch {
                throw cursor.error("expected \(expectation), found \(JSONText.quoted(text)): \(error)")
            }
        }
    }
}

extension YAMLType where Value == String {
    /// The name of a time zone that this machine has.
    static var timeZone: YAMLType {
        .text("an IANA time zone that this machine knows (tzdata), such as UTC or Europe/Berlin") {
            LocalTimeZone.isKnown($0) ? $0 : nil
        }
    }
}
