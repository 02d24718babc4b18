import FoundationEssentials
import NetworkHealth
import SpeedTestCore
import Statistics

/// What speed tests found, for metrics, gates and the quality: for each server and each uplink the last good value of each
/// kind.
///
/// Tests come in the order in which they ran, whatever the clock said.
struct SpeedTestResults: Sendable, Equatable {
    /// A value and the end of the test that measured it.
    struct Measured<Value: Sendable & Equatable>: Sendable, Equatable {
        var value: Value
        var at: Date
    }

    /// The tests over one uplink, against one server or all.
    ///
    /// What a test did not measure keeps its last value and its time.
    struct Values: Sendable, Equatable {
        /// The last test, failed or not.
        private(set) var last: SpeedTestReport
        private(set) var lastSuccess: Date?
        private(set) var ping: Measured<IdleLatency>?
        private(set) var transfers: [Direction: Measured<DirectionReport>] = [:]
        /// Bytes that the last successful test of these directions moved, latency-only tests aside.
        ///
        /// A retest has only the directions that are in doubt, and costs less than a scheduled test.
        private var costs: [Set<Direction>: UInt64] = [:]
        /// The newest rates that are those of the line, as far as is known; the oldest first.
        private var recent: [Direction: [BitRate]] = [:]

        init(_ report: SpeedTestReport) {
            last = report
            add(report, staleAfter: nil)
        }

        /// As another exporter has them: a report with the last good values, and the ends of the tests that measured them.
        init(last: SpeedTestReport, lastSuccess: Date?, pingAt: Date?, transfersAt: [Direction: Date]) {
            (self.last, self.lastSuccess) = (last, lastSuccess)
            if let value = last.ping, let pingAt { ping = Measured(value: value, at: pingAt) }
            for (direction, date) in transfersAt {
                if let value = last[direction] { transfers[direction] = Measured(value: value, at: date) }
            }
        }

        /// `staleAfter`: the age from which a value gives way to any other.
        mutating func add(_ report: SpeedTestReport, staleAfter: Duration?) {
            last = report
            let end = report.endedAt
            if report.failure == nil {
                lastSuccess = end
                let measured = Set(Direction.allCases.filter { report[$0] != nil })
                if !report.isLatencyOnly { costs[measured] = report.traffic.total }
            }
            if let ping = report.ping { self.ping = Measured(value: ping, at: end) }
            for direction in Direction.allCases {
                guard let transfer = report[direction] else { continue }
                let new = Measured(value: transfer, at: end)
                if !transfer.isLowerBound, !transfer.exceedsDevice {
                    let rates = recent[direction, default: []] + [transfer.rate]
                    recent[direction] = Array(rates.suffix(Self.recentLimit))
                }
                if transfers[direction]?.outlasts(new, staleAfter: staleAfter) != true { transfers[direction] = new }
            }
        }

        /// Without the values that are older than a date.
        func dropping(before date: Date) -> Values {
            var values = self
            if let ping, ping.at < date { values.ping = nil }
            values.transfers = transfers.filter { $0.value.at >= date }
            return values
        }

        /// Bytes that the last successful test of these directions moved, else one of more; nil: not known.
        func cost(of directions: [Direction]) -> UInt64? {
            let wanted = Set(directions)
            return costs[wanted] ?? costs.filter { $0.key.isSuperset(of: wanted) }.values.min()
        }

        var rates: [Direction: BitRate] { transfers.mapValues(\.value.rate) }

        private static let recentLimit = 30
        /// With fewer tests nothing is usual.
        private static let usualMinimum = 5

        /// The median of the last 30 tests, in bits per second; nil with fewer than five.
        func usual(_ direction: Direction) -> Double? {
            guard let rates = recent[direction], rates.count >= Self.usualMinimum else { return nil }
            return rates.map(\.bitsPerSecond).median
        }

        /// The label `uplink` of the metrics.
        var label: String { last.uplinkLabel }

        /// The same with the name that the uplink has now.
        fileprivate func named(_ plans: Plans) -> Values {
            var values = self
            values.last = plans.named(last)
            return values
        }
    }

    /// The last test, failed or not.
    private(set) var last: SpeedTestReport?
    /// One entry for each server, uplink and name of it; the one that was tested last is the last.
    private(set) var servers: [Values] = []
    /// One entry for each uplink, of all servers; the one that was tested last is the last.
    private(set) var uplinks: [Values] = []

    init(_ reports: [SpeedTestReport] = [], staleAfter: Duration? = nil) {
        for report in reports { add(report, staleAfter: staleAfter) }
    }

    /// `staleAfter`: the age from which a value gives way to any other; nil: none does.
    mutating func add(_ report: SpeedTestReport, staleAfter: Duration? = nil) {
        last = report
        Self.add(report, staleAfter, to: &servers) { $0.server == report.server && $0.uplinkKey == report.uplinkKey }
        Self.add(report, staleAfter, to: &uplinks) { $0.uplink == report.uplink }
        guard uplinks.count > Uplink.limit else { return }
        let dropped = uplinks.removeFirst().last.uplink
        servers.removeAll { $0.last.uplink == dropped }
    }

    /// Gives all tests the names that their uplinks have now; of two that have become the same one, the last stays.
    mutating func rename(_ plans: Plans) {
        last = last.map(plans.named)
        uplinks = uplinks.map { $0.named(plans) }
        let named = servers.map { $0.named(plans) }
        servers = named.indices.filter { index in
            !named[(index + 1)...].contains {
                $0.last.server == named[index].last.server && $0.last.uplinkKey == named[index].last.uplinkKey
            }
        }.map { named[$0] }
    }

    /// The tests of a server, one entry for each label: those over this uplink, else over the one that was tested last
    /// (the Wi-Fi at home and in a hotel are both `wlan0`).
    func devices(of server: String, on uplink: String) -> [Values] {
        var found: [Values] = []
        for values in servers.reversed() where values.last.server == server {
            let index = found.firstIndex { $0.label == values.label }
            if let index {
                if values.last.uplink == uplink { found[index] = values }
            } else {
                found.append(values)
            }
        }
        return found.sorted { $0.label < $1.label }
    }

    func uplink(_ name: String) -> Values? { uplinks.last { $0.last.uplink == name } }

    private static func add(
        _ report: SpeedTestReport,
        _ staleAfter: Duration?,
        to list: inout [Values],
        where isSame: (SpeedTestReport) -> Bool
    ) {
        guard let index = list.firstIndex(where: { isSame($0.last) }) else {
            list.append(Values(report))
            return
        }
        var values = list.remove(at: index)
        values.add(report, staleAfter: staleAfter)
        list.append(values)
    }
}

extension SpeedTestReport {
    /// The label `uplink` of the metrics: the name, without one the device, in a tunnel the one below it.
    var uplinkLabel: String { uplinkName ?? Uplink(name: uplink)?.label ?? uplink }

    /// Equal for tests over the same uplink; behind one router there may be several, with names.
    var uplinkKey: String { uplinkName.map { "\(uplink)\n\($0)" } ?? uplink }
}

extension SpeedTestResults.Measured<DirectionReport> {
    /// Whether it stays although a later test has a value: a lower bound replaces only what is lower, or stale.
    fileprivate func outlasts(_ new: Self, staleAfter: Duration?) -> Bool {
        let isFresh = SpeedMeasurement.Speed(rate: value.rate, measuredAt: at).isFresh(at: new.at, maxAge: staleAfter)
        return new.value.isLowerBound && value.rate >= new.value.rate && isFresh
    }
}

extension HealthMonitor {
    /// Takes over the last good speeds of each uplink, in the order in which they were tested.
    func learn(_ results: SpeedTestResults, of directions: [Direction]) {
        for values in results.uplinks { learn(values, of: directions) }
    }

    /// Takes over the last good speeds of one uplink.
    ///
    /// A direction that is no longer measured does not count: no test would ever correct its value.
    func learn(_ values: SpeedTestResults.Values, of directions: [Direction]) {
        guard let uplink = Uplink(name: values.last.uplink), !values.transfers.isEmpty else { return }
        func speed(_ direction: Direction) -> SpeedMeasurement.Speed? {
            guard directions.contains(direction), let transfer = values.transfers[direction] else { return nil }
            return SpeedMeasurement.Speed(
                rate: transfer.value.rate,
                measuredAt: transfer.at,
                isLowerBound: transfer.value.isLowerBound,
                uncertainty: transfer.value.uncertainty ?? 0
            )
        }
        learn { $0.set(SpeedMeasurement(download: speed(.download), upload: speed(.upload)), of: uplink) }
    }

    /// Takes over stored results as a running exporter with that configuration does.
    func learn(_ tests: SpeedTestState, by configuration: Configuration) {
        learn { $0.maxAge = configuration.requirements.staleAfter ?? tests.staleAfter }
        learn(tests.results, of: tests.section.directions)
    }
}
