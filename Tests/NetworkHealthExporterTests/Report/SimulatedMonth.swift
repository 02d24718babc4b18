import Foundation
import Lab
import NetworkHealth
import SpeedTestCore
import Statistics
import Storage

@testable import NetworkHealthExporter

/// October 2026 at UTC+01:00, minute by minute: 17 outages, 25 of a standby, two pauses of the exporter, 124 tests of which 6 confirm or refute another one, evenings
/// that are slow.
struct SimulatedMonth {
    static let since = RFC3339.parse("2026-09-30T23:00:00Z") ?? 0
    static let until = since + Double(minutes) * 60
    static let minutes = 44_640
    static let offset = 3600
    static let plans = Plans.of(download: .init(maximum: 250_000_000, normal: 200_000_000, minimum: 150_000_000))
    /// The same for the script, in Mbit/s.
    static let plan = #"{"maximum": 250, "normal": 200, "minimum": 150}"#
    static let clock = ReportClock { _ in offset }

    private(set) var transitions: [Transition] = []
    private(set) var uplinkOutages: [UplinkOutageRow] = []
    private(set) var latency: [LatencyRow] = []
    private(set) var uptime = HourlyUptime()
    private(set) var points: [PointRow] = []
    private(set) var tests: [SpeedTestReport] = []
    private var random = SplitMix64(state: 20_261_031)
    private var outages: [(start: Double, end: Double, cause: OutageCause)] = []

    init() {
        for index in 0..<17 {
            // Some in the first and the last hour of a day, most shorter than an hour.
            let slot = Self.since + Double(index) * 151_000
            let start = (slot + .random(in: 0...90_000, using: &random)).rounded()
            let length = (index == 3 ? 9876.543 : .random(in: 12...4000, using: &random)).rounded(toPlaces: 3)
            outages.append((start, start + length, OutageCause.allCases[index % 7]))
        }
        // When the exporter did not run.
        let pauses = [100_000.0...120_880, 1_500_000...1_500_600].map {
            Self.since + $0.lowerBound...Self.since + $0.upperBound
        }
        outages.removeAll { outage in pauses.contains { $0.overlaps(outage.start...outage.end) } }
        while outages.count < 17 {
            let start = Self.since + 2_600_000 + Double(outages.count) * 2000
            outages.append((start, start + 33.5, .noInternet))
        }
        for outage in outages {
            var row = Transition(.online())
            (row.at, row.outageCause, row.outageSeconds) = (
                outage.end, outage.cause.rawValue, outage.end - outage.start
            )
            transitions.append(row)
        }
        for index in 0..<25 {
            // Over the edge of an hour, and some in the outages of the host; the first and the last are over those of the month.
            let seconds = 3000.5 + Double(index)
            let end = index == 1 ? outages[5].end : Self.since + 100 + Double(index) * 111_600
            let outage = DatedOutage(index == 2 ? .link : .noInternet, .unknown, until: end, seconds: seconds)
            uplinkOutages.append(UplinkOutageRow(uplink: index == 3 ? "vpn" : "lte", outage: outage, seconds: seconds))
        }
        addHours(pauses)
        addMinutes(pauses)
        addPoints(pauses)
        addTests()
    }

    private mutating func addHours(_ pauses: [ClosedRange<Double>]) {
        for hour in Int64(Self.since / 3600)..<Int64(Self.until / 3600) {
            let (start, end) = (Double(hour) * 3600, Double(hour + 1) * 3600)
            func overlap(_ first: Double, _ last: Double) -> Double { max(0, min(end, last) - max(start, first)) }
            var part = Uptime(monitored: 3600 - pauses.reduce(0) { $0 + overlap($1.lowerBound, $1.upperBound) })
            for outage in outages {
                let seconds = overlap(outage.start, outage.end)
                if seconds > 0 { part.offline[outage.cause, default: 0] += seconds }
            }
            if part.monitored > 0 { uptime[hour] = part }
        }
    }

    private mutating func addMinutes(_ pauses: [ClosedRange<Double>]) {
        for index in 0..<Self.minutes {
            let at = Self.since + Double(index) * 60
            let isObserved = !pauses.contains { $0.overlaps(at...at + 60) }
            guard isObserved, !outages.contains(where: { $0.start < at + 60 && $0.end > at }) else { continue }
            let isEvening = (20..<23).contains(Self.clock.hour(at))
            let p50 = 0.011 + .random(in: 0...0.002, using: &random) + (isEvening ? 0.006 : 0)
            let loss: Double? = index % 97 == 0 ? nil : index % 50 == 0 ? 0.1 : 0
            latency.append(LatencyRow(at: at, p50: p50, p95: p50 * 1.5, jitter: 0.001, loss: loss))
        }
    }

    private mutating func addPoints(_ pauses: [ClosedRange<Double>]) {
        for at in stride(from: Self.since, to: Self.until, by: 1800) {
            guard !pauses.contains(where: { $0.overlaps(at...at + 1800) }) else { continue }
            let isEvening = (20..<23).contains(Self.clock.hour(at))
            let near = [("hop 1 ipv4", 0.0008), ("hop 2 ipv4", isEvening ? 0.014 : 0.008), ("nas", 0.0003)]
            // As many as a printed page has room for.
            let far = ["hop 3 ipv4", "hop 4 ipv4", "uplink eth0", "uplink lte", "web", "work"].map { ($0, 0.02) }
            for (name, median) in near + far {
                let lost = Int.random(in: 0...2, using: &random)
                let measured = median + .random(in: 0...0.0004, using: &random)
                let row = PointRow(
                    at: at,
                    point: name,
                    median: (measured * 1e6).rounded() / 1e6,
                    lost: lost,
                    probes: .random(in: 3...360, using: &random),
                    seconds: 1800
                )
                points.append(row)
            }
        }
    }

    private mutating func addTests() {
        for index in 0..<118 {
            let hours = [2.5, 8.25, 14.0, 20.5][index % 4] + .random(in: 0...1.5, using: &random)
            let at = (Self.since + Double(index / 4) * 86_400 + hours * 3600).rounded()
            guard index % 41 != 7 else {
                tests.append(.failed(at: at))
                continue
            }
            var test = SpeedTestReport.good(at: at)
            let isEvening = index % 4 == 3
            test.download = .of(.random(in: isEvening ? 85...105 : 225...255, using: &random)) {
                $0.limits = index % 31 == 1 ? [.crossTraffic] : index % 31 == 2 ? [.dataCap] : []
                $0.queue = isEvening ? .access : .nowhere
            }
            test.upload = .of(.random(in: 38...42, using: &random)) { $0.limits = index % 31 == 3 ? [.cpu] : [] }
            tests.append(test.rounded)
            if index % 20 == 3 { addRetest(of: test, index) }
        }
    }

    /// By another server, which is as slow, or as slow with its queue elsewhere, or reaches the plan.
    private mutating func addRetest(of test: SpeedTestReport, _ index: Int) {
        var retest = SpeedTestReport.good(at: test.endedAt.timeIntervalSince1970.rounded() + 40)
        retest.server = "second"
        retest.download = .of(.random(in: index % 3 == 2 ? 225...255 : 85...105, using: &random)) {
            $0.queue = [.access, .provider, .nowhere][index % 3]
        }
        retest.upload = nil
        tests.append(retest.rounded)
    }

    /// Writes all of it as the exporter does, a transaction at a time.
    func write(to database: Database) async throws {
        for start in stride(from: 0, to: latency.count, by: 1440) {
            let rows = Array(latency[start..<min(latency.count, start + 1440)])
            try await database.write { try LatencyHistory.add(rows, in: $0) }
        }
        try await database.write { [transitions, uplinkOutages, uptime, points] transaction in
            try UplinkOutageHistory.add(uplinkOutages, in: transaction)
            try PointHistory.add(points, in: transaction)
            try TransitionHistory.add(transitions, in: transaction)
            try UptimeHistory.add(uptime, in: transaction)
        }
        for test in tests { try await SpeedTestHistory(database: database).add(test) }
    }
}
