import Foundation
import Logging
import NetworkHealth
import Posix
import Probing
import Statistics
import Storage
import Testing

@testable import NetworkHealthExporter

/// The latency and loss of points on the way, by the half hour.
@Suite struct PointHistoryTests {
    private let start = ContinuousClock.now

    private func window(_ outcomes: [Duration?], from first: Int = 0) -> OutcomeWindow {
        var window = OutcomeWindow()
        for (index, outcome) in outcomes.enumerated() { window.push(outcome, at: start + .seconds(first + index)) }
        return window
    }

    private func add(
        _ windows: [PointWindow],
        to points: inout PointAggregator,
        at time: Double,
        isOffline: Bool = false
    ) -> [PointRow] {
        let now = start + .seconds(time)
        return points.add(windows, at: time, until: now - .seconds(15), now: now, isOffline: isOffline)
    }

    @Test func `a half hour has the median and the losses of its probes, each once`() {
        var points = PointAggregator()
        var hop = PointWindow(name: "hop 2 ipv4", window: window([.milliseconds(3), nil, .milliseconds(5)]))
        #expect(add([hop], to: &points, at: 100).isEmpty && add([hop], to: &points, at: 105).isEmpty)
        hop.window.push(.milliseconds(9), at: start + .seconds(1700))
        #expect(add([hop], to: &points, at: 1799).isEmpty)
        let rows = add([hop], to: &points, at: 1800)
        #expect(rows == [PointRow(at: 100, point: "hop 2 ipv4", median: 0.005, lost: 1, probes: 4, seconds: 5)])
        #expect(points.end().isEmpty, "nothing new")
    }

    @Test func `a row begins and ends with the process, and has the time that was observed`() {
        var points = PointAggregator()
        var hop = PointWindow(name: "router", window: window([.milliseconds(1)], from: 600))
        func observe(_ seconds: StrideThrough<Int>, isOffline: Bool = false) -> [PointRow] {
            seconds.flatMap { second in
                hop.window.push(.milliseconds(1), at: start + .seconds(second - 20))
                return add([hop], to: &points, at: Double(second) + 0.3, isOffline: isOffline)
            }
        }
        #expect(observe(stride(from: 900, through: 1300, by: 5)).isEmpty)
        #expect(points.rows.map { [$0.at, Double($0.seconds)] } == [[900, 400]], "the process began in the half hour")
        // Five minutes of an outage, and ten in which the process was stopped.
        #expect(observe(stride(from: 1305, through: 1600, by: 5), isOffline: true).isEmpty)
        let first = observe(stride(from: 2200, through: 3600, by: 5)).map { [$0.at, Double($0.seconds)] }
        #expect(first == [[900, 400], [2200, 1395]])
        let second = observe(stride(from: 3605, through: 5400, by: 5)).map { [$0.at, Double($0.seconds)] }
        #expect(second == [[3600, 1800]])
    }

    @Test func `what was probed in an outage is left out, and what comes after its end counts`() {
        var points = PointAggregator()
        var hop = PointWindow(name: "router", window: window([.milliseconds(1)]))
        _ = add([hop], to: &points, at: 30)
        for second in 40..<60 { hop.window.push(nil, at: start + .seconds(second)) }
        // The outage is known 12 s after its begin, and the probes are read when they are 15 s old.
        for time in [52.0, 57, 60] { _ = add([hop], to: &points, at: time, isOffline: true) }
        hop.window.push(.milliseconds(3), at: start + .seconds(61))
        for time in [65.0, 70, 75] { _ = add([hop], to: &points, at: time) }
        hop.window.push(nil, at: start + .seconds(80))
        _ = add([hop], to: &points, at: 100)
        #expect(points.end() == [PointRow(at: 30, point: "router", median: 0.002, lost: 1, probes: 3, seconds: 25)])
    }

    @Test func `ten points count, and one that was never answered has no median`() {
        var points = PointAggregator()
        let windows = (0..<12).map { PointWindow(name: "p\(10 + $0)", window: window([nil, nil])) }
        _ = add(windows, to: &points, at: 60)
        let rows = points.end()
        #expect(
            rows.count == 10 && rows[0] == PointRow(at: 60, point: "p10", median: nil, lost: 2, probes: 2, seconds: 1)
        )
    }

    @Test func `the first points of the order have the places, whichever was probed first`() {
        var points = PointAggregator()
        let early = (0..<11).map { PointWindow(name: "p\(10 + $0)", window: window([.milliseconds(1)])) }
        let late = PointWindow(name: "router", window: window([.milliseconds(1)], from: 50))
        _ = add([late] + early, to: &points, at: 60)
        _ = add([late] + early, to: &points, at: 100)
        #expect(points.end().map(\.point) == (10..<19).map { "p\($0)" } + ["router"])
    }

    @Test func `the router is first, then the first two of each family, the targets, and the other routers`() {
        let hops = [AddressFamily.ipv4, .ipv6].map { family in
            var report = HopReport(family: family)
            report.hops = (1...3).map { HopReport.Hop(distance: $0) }
            return report
        }
        let targets = [ProbedTarget("nas").report, ProbedTarget("gateway", GatewayProbe()).report]
        #expect(
            PointWindow.all(hops, targets).map(\.name) == [
                "router", "hop 1 ipv4", "hop 2 ipv4", "hop 1 ipv6", "hop 2 ipv6", "nas", "hop 3 ipv4", "hop 3 ipv6",
            ]
        )
    }

    @Test func `a row that is written while the history is read is there once`() async throws {
        let database = try Database(file: nil, schema: .exporter)
        var points = PointAggregator()
        let hop = PointWindow(name: "router", window: window([.nanoseconds(12_345_678)]))
        _ = add([hop], to: &points, at: 60)
        let rows = points.end()
        #expect(rows.map(\.median) == [0.012346])
        try await database.write { try PointHistory.add(rows, in: $0) }
        var found: [PointRow] = []
        let pages = try await HistoryPages(PointHistory.self, of: database, since: 0, waiting: { rows })
        try await pages.each { found += $0 }
        #expect(found == rows)
    }

    @Test func `rows come back from the table, to the microsecond, and what no exporter wrote does not`() async throws {
        let database = try Database(file: nil, schema: .exporter)
        // An uplink's name has 128 bytes at most, as a target's.
        let longest = "uplink " + String(repeating: "x", count: 128)
        let rows = [
            PointRow(at: 1800, point: "router", median: 0.012346, lost: 0, probes: 6, seconds: 1800),
            PointRow(at: 1800, point: "nas", median: nil, lost: 3, probes: 3, seconds: 1800),
            PointRow(at: 1900, point: longest, median: nil, lost: 3, probes: 3, seconds: 1700),
        ]
        try await database.write { transaction in
            try PointHistory.add(rows, in: transaction)
            try transaction.run(
                """
                INSERT INTO latency_point (at, point, lost, probes, seconds)
                VALUES (9e999, 'x', 0, 1, 60), (0, 'x', 2, 1, 60), (0, 'x', 0, 0, 60), (0, 'x', 0, 1, 0), (0, 'x', 0, 1, 1e6)
                """
            )
            for (name, microseconds) in [
                ("x", -1), ("", 1), ("x\u{1b}[2J", 1), (String(repeating: "x", count: 129), 1),
            ] {
                try transaction.run(
                    "INSERT INTO latency_point (at, point, microseconds, lost, probes, seconds) VALUES (0, ?, ?, 0, 1, 60)",
                    [.text(name), .integer(Int64(microseconds))]
                )
            }
        }
        let page = try await database.read { transaction in
            try PointHistory.page(after: HistoryCursor(at: 0), limit: 20, in: transaction)
        }
        #expect(page.rows == rows)
        let json = String(decoding: JSONDocument.encode(rows.prefix(2).map(\.document)), as: UTF8.self)
        #expect(
            json
                == #"[{"at":"1970-01-01T00:30:00Z","loss":0,"p50":0.012346,"point":"router","probes":6,"seconds":1800},{"at":"1970-01-01T00:30:00Z","loss":1,"p50":null,"point":"nas","probes":3,"seconds":1800}]"#
        )
    }

    @Test(arguments: [(3600.0, 2), (3601, 1)]) func `rows as old as per_hour stay`(age: Double, left: Int) async throws
    {
        let database = try Database(file: nil, schema: .exporter)
        let rows = [1000.0, 1001].map {
            PointRow(at: $0, point: "router", median: 0.01, lost: 0, probes: 6, seconds: 1800)
        }
        try await database.write { try PointHistory.add(rows, in: $0) }
        try await HistoryRetention(database: database).prune(HistorySection(perHour: .seconds(3600)), at: 1000 + age)
        #expect(try await database.read { try $0.rows("SELECT * FROM latency_point").count } == left)
    }

    @Test func `a recorder writes the half hour that is over, and the last one at its end`() async throws {
        let recorder = try HistoryRecorder.inMemory()
        let points = [PointWindow(name: "router", window: window([.milliseconds(2)]))]
        recorder.sample(points, at: 60, until: start + .seconds(60), now: start + .seconds(75))
        recorder.sample(points, at: 1860, until: start + .seconds(1860), now: start + .seconds(1875))
        #expect(recorder.backlog.points.map(\.at) == [60])
        await recorder.finish()
        #expect(recorder.backlog.points.isEmpty)
        #expect(try await recorder.database.read { try PointHistory.interrupted(in: $0) }.isEmpty)
    }

    @Test func `a process that is killed loses of its half hour what it has not written`() async throws {
        let database = try Database(file: nil, schema: .exporter)
        let logger = Logger(label: "test")
        func rows() async throws -> [[Double]] {
            let page = try await database.read { transaction in
                try PointHistory.page(after: HistoryCursor(at: 0), limit: 10, in: transaction)
            }
            return page.rows.map { [$0.at, Double($0.probes), Double($0.seconds)] }
        }
        var hop = PointWindow(name: "router", window: OutcomeWindow())
        func observe(_ recorder: HistoryRecorder, _ seconds: StrideThrough<Int>) {
            for second in seconds {
                let end = start + .seconds(second)
                hop.window.push(.milliseconds(2), at: end - .seconds(1))
                recorder.sample([hop], at: Double(second), until: end, now: end + .seconds(15))
            }
        }
        let killed = HistoryRecorder(database: database, logger: logger)
        observe(killed, stride(from: 30, through: 600, by: 5))
        await killed.receive(.online())
        observe(killed, stride(from: 605, through: 700, by: 5))
        #expect(try await rows().isEmpty, "the half hour is not over")

        let interrupted = try await database.read { try HistoryBacklog.interrupted(in: $0) }
        hop.window = OutcomeWindow()
        let next = HistoryRecorder(database: database, interrupted: interrupted, logger: logger)
        #expect(next.backlog.points.map(\.seconds) == [570], "it is shown before it is written again")
        observe(next, stride(from: 900, through: 1795, by: 5))
        await next.flush()
        observe(next, stride(from: 1800, through: 1860, by: 5))
        await next.finish()
        #expect(try await rows() == [[30, 115, 570], [900, 180, 895], [1800, 13, 65]])
        #expect(try await database.read { try HistoryBacklog.interrupted(in: $0) }.isEmpty)
    }
}
