import FoundationEssentials
import NetworkHealth
import SpeedTestCore
import Statistics

/// What speed tests found, for metrics, gates and the quality: by server and by uplink the last good value of each
/// kind.
///
/// Tests come in the order in which they ran, whatever the clock said.
struct SpeedTestResults: Sendable, Equatable {
    /// A value and the end of the test that measured it.
    struct Measured<Value: Sendable & Equatable>: Sendable, Equatable {
        var value: Value
        var at: Date
    }

    /// The tests of one server, or over one uplink.
    ///
    /// What a test did not measure keeps its last value and its time.
    struct Values: Sendable, Equatable {
        /// The last test, failed or not.
        private(set) var last: SpeedTestReport
        private(set) var lastSuccess: Date?
        private(set) var ping: Measured<IdleLatency>?
        private(set) var transfers: [Direction: Measured<DirectionReport>] = [:]
        /// Bytes that the last successful test moved, latency-only tests aside; nil: not known.
        private(set) var cost: UInt64?

        init(_ report: SpeedTestReport) {
            last = report
            add(report)
        }

        mutating func add(_ report: SpeedTestReport) {
            last = report
            let end = report.endedAt
            if report.failure == nil {
                lastSuccess = end
                if !report.isLatencyOnly { cost = report.traffic.total }
            }
            if let ping = report.ping { self.ping = Measured(value: ping, at: end) }
            for direction in Direction.allCases {
                if let transfer = report[direction] { transfers[direction] = Measured(value: transfer, at: end) }
            }
        }

        /// Without the values that are older than a date.
        func dropping(before date: Date) -> Values {
            var values = self
            if let ping, ping.at < date { values.ping = nil }
            values.transfers = transfers.filter { $0.value.at >= date }
            return values
        }

        var rates: [Direction: BitRate] { transfers.mapValues(\.value.rate) }
    }

    /// Uplinks that are remembered: a travelling host meets more, and the one measured longest ago is forgotten.
    private static let uplinkLimit = 64

    /// The last test, failed or not.
    private(set) var last: SpeedTestReport?
    /// One entry for each server; the one that was tested last is the last.
    private(set) var servers: [Values] = []
    /// One entry for each uplink; the one that was tested last is the last.
    private(set) var uplinks: [Values] = []

    init(_ reports: [SpeedTestReport] = []) {
        for report in reports { add(report) }
    }

    mutating func add(_ report: SpeedTestReport) {
        last = report
        Self.add(report, to: &servers, by: \.server)
        Self.add(report, to: &uplinks, by: \.uplink)
        if uplinks.count > Self.uplinkLimit { uplinks.removeFirst() }
    }

    func server(_ name: String) -> Values? { servers.last { $0.last.server == name } }

    func uplink(_ name: String) -> Values? { uplinks.last { $0.last.uplink == name } }

    private static func add(
        _ report: SpeedTestReport,
        to list: inout [Values],
        by key: KeyPath<SpeedTestReport, String>
    ) {
        guard let index = list.firstIndex(where: { $0.last[keyPath: key] == report[keyPath: key] }) else {
            list.append(Values(report))
            return
        }
        var values = list.remove(at: index)
        values.add(report)
        list.append(values)
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
            return SpeedMeasurement.Speed(rate: transfer.value.rate, measuredAt: transfer.at)
        }
        learn { $0.set(SpeedMeasurement(download: speed(.download), upload: speed(.upload)), of: uplink) }
    }

    /// Takes over stored results as a running exporter with that configuration does.
    func learn(_ results: SpeedTestResults, by configuration: Configuration) {
        let section = configuration.speedTest
        learn { $0.maxAge = configuration.requirements.staleAfter ?? section.staleAfter }
        learn(results, of: section.directions)
    }
}
