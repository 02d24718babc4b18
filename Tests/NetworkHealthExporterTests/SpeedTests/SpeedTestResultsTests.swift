import Foundation
import NetworkHealth
import SpeedTestCore
import Statistics
import Testing

@testable import NetworkHealthExporter

struct SpeedTestResultsTests {
    private func half(_ change: (inout SpeedTestReport) -> Void) -> SpeedTestReport {
        var report = SpeedTestReport.failed(.reset, at: 5000)
        change(&report)
        return report
    }

    @Test func `a failed test leaves the last good values`() throws {
        let home = try #require(SpeedTestResults([.good(at: 1000), .failed(at: 5000)]).servers.first)
        #expect(home.last.failure?.reason == .timeout)
        #expect(home.lastSuccess == Date(timeIntervalSince1970: 1012.5))
        #expect(home.rates == [.download: .megabits(100), .upload: .megabits(10)])
        #expect(home.ping?.value.latency == .milliseconds(20))
    }

    @Test func `a direction that a test did not measure keeps its last good value and its time`() throws {
        var results = SpeedTestResults([.good(at: 1000), half { $0.download = .of(50) }])
        let known = try #require(results.servers.first)
        #expect(known.rates == [.download: .megabits(50), .upload: .megabits(10)])
        #expect(known.transfers[.download]?.at == Date(timeIntervalSince1970: 5005))
        #expect(known.transfers[.upload]?.at == Date(timeIntervalSince1970: 1012.5))
        #expect(known.lastSuccess == Date(timeIntervalSince1970: 1012.5))
        results.add(half { $0.upload = .of(6) })
        #expect(results.servers.first?.rates == [.download: .megabits(50), .upload: .megabits(6)])
        #expect(results.uplink("eth0 198.18.0.254")?.rates == results.servers.first?.rates)
    }

    @Test func `the usual speed is the median of the last 30 tests that show the line, from five on`() throws {
        func results(_ speeds: [DirectionReport]) throws -> SpeedTestResults.Values {
            try #require(SpeedTestResults(speeds.map { speed in half { $0.download = speed } }).uplinks.first)
        }
        #expect(try results([.of(48), .of(48), .of(47), .of(1.9)]).usual(.download) == nil)
        let slow = try results([.of(48), .of(48), .of(47), .of(46), .of(1.9)])
        #expect(slow.usual(.download) == 47e6 && slow.usual(.upload) == nil)
        // Neither a test that the processor limited nor one that exceeds the device shows the line.
        let bound = DirectionReport.of(3) { $0.limits = [.cpu] }
        let excess = DirectionReport.of(9000) { $0.exceedsDevice = true }
        #expect(try results([.of(48), bound, .of(48), excess, .of(48), bound, .of(48)]).usual(.download) == nil)
        // The older ones are forgotten.
        let many = Array(repeating: DirectionReport.of(900), count: 40) + Array(repeating: .of(50), count: 30)
        #expect(try results(many).usual(.download) == 50e6)
    }

    @Test func `the test that ran last counts, also after a wrong clock`() {
        let results = SpeedTestResults([.good(at: 9_000_000_000), half { $0.download = .of(50) }])
        #expect(results.servers.first?.rates[.download] == .megabits(50))
        #expect(results.last?.startedAt == Date(timeIntervalSince1970: 5000))
    }

    @Test func `the gates have the test that ran last, also after a wrong clock`() throws {
        let monitor = HealthMonitor()
        monitor.learn(
            SpeedTestResults([.good(at: 9_000_000_000), half { $0.download = .of(50) }]),
            of: Direction.allCases
        )
        monitor.receive(.measured)
        let measurement = try #require(monitor.current?.evidence.measurement)
        #expect(measurement.download?.rate == .megabits(50) && measurement.upload?.rate == .megabits(10))
        #expect(measurement.download?.measuredAt == Date(timeIntervalSince1970: 5005))
    }

    @Test func `a command evaluates stored results as a running exporter with that configuration`() throws {
        let monitor = HealthMonitor()
        var configuration = Configuration()
        configuration.speedTest.directions = [.download]
        func tests(_ saved: SpeedTestHistory.Saved) -> SpeedTestState {
            SpeedTestState(section: configuration.speedTest, saved: saved, now: Date(timeIntervalSince1970: 6000))
        }
        monitor.learn(tests(.init(reports: [.good()])), by: configuration)
        monitor.receive(.measured)
        let evidence = try #require(monitor.current?.evidence)
        #expect(evidence.measurement?.download?.rate == .megabits(100) && evidence.measurement?.upload == nil)
        #expect(evidence.maxAge == .seconds(108_000), "health.stale_after: auto")
        // The budget has stretched the gap.
        var memory = SpeedTestScheduler.Memory()
        memory.stretchedGap = 100_000
        monitor.learn(tests(.init(memory: memory)), by: configuration)
        #expect(monitor.current?.evidence.maxAge == .seconds(200_000))
        configuration.requirements.staleAfter = .seconds(7200)
        monitor.learn(tests(.init()), by: configuration)
        #expect(monitor.current?.evidence.maxAge == .seconds(7200))
    }

    @Test func `results count for the uplink that they were measured on, and a latency-only test costs nothing`() {
        var latency = SpeedTestReport.good(at: 3000, uplink: "wlan0")
        (latency.isLatencyOnly, latency.traffic) = (true, .init(received: 1))
        let results = SpeedTestResults([
            .good(at: 1000, uplink: "wlan0"), half { ($0.uplink, $0.download) = ("eth0", .of(1)) }, latency,
        ])
        #expect(results.uplink("wlan0")?.rates[.download] == .megabits(100))
        #expect(results.uplink("wlan0")?.cost(of: Direction.allCases) == 67_000_000)
        #expect(results.uplink("eth0")?.rates == [.download: .megabits(1)])
        #expect(results.uplink("eth0")?.cost(of: Direction.allCases) == nil && results.uplink("ppp0") == nil)
    }

    @Test func `a retest of one direction does not change the cost of a test of both`() throws {
        var retest = SpeedTestReport.good(at: 3000)
        (retest.upload, retest.traffic) = (nil, .init(received: 30_000_000))
        var results = SpeedTestResults([.good(at: 1000)])
        let before = try #require(results.uplinks.first)
        #expect(before.cost(of: [.download]) == 67_000_000, "a test of more directions is the best that is known")
        results.add(retest)
        let after = try #require(results.uplinks.first)
        #expect(after.cost(of: [.upload, .download]) == 67_000_000)
        #expect(after.cost(of: [.download]) == 30_000_000 && after.cost(of: [.upload]) == 67_000_000)
        let alone = try #require(SpeedTestResults([retest]).uplinks.first)
        #expect(alone.cost(of: Direction.allCases) == nil)
    }

    @Test func `a travelling host forgets the uplink that it measured longest ago`() {
        let results = SpeedTestResults((0..<100).map { .good(at: Double($0), uplink: "wlan0 10.0.0.\($0)") })
        #expect(results.uplinks.count == 8 && results.servers.count == 8)
        #expect(results.uplink("wlan0 10.0.0.91") == nil && results.uplink("wlan0 10.0.0.92") != nil)
    }

    @Test func `each device has the last test over its current router, else the newest, with its own time`() throws {
        let results = SpeedTestResults([
            .good(at: 1000, uplink: "wlan0 10.0.0.1"), .good(at: 2000, uplink: "wwan0"),
            .good(at: 3000, uplink: "wlan0 192.168.7.1"), .failed(at: 4000, uplink: "wwan0"),
            .good(at: 5000, uplink: Uplink.local),
        ])
        func times(on uplink: String) -> [String: Double] {
            results.devices(of: "home", on: uplink).reduce(into: [:]) { times, values in
                times[values.label] = values.transfers[.download]?.at.timeIntervalSince1970
            }
        }
        #expect(times(on: "wlan0 10.0.0.1") == ["wlan0": 1012.5, "wwan0": 2012.5, "local": 5012.5])
        #expect(times(on: "wwan0") == ["wlan0": 3012.5, "wwan0": 2012.5, "local": 5012.5])
        #expect(results.devices(of: "other", on: "wwan0").isEmpty)
    }

    /// A download of so many megabits, with or without enough processor time.
    private func download(_ megabits: Double, at time: Double, isBound: Bool = false) -> SpeedTestReport {
        var report = SpeedTestReport.good(at: time)
        (report.download, report.upload) = (.of(megabits) { $0.limits = isBound ? [.cpu] : [] }, nil)
        return report
    }

    @Test(arguments: [
        (37.0, false, 18.0, true, 1000.0, 37.0), (37, false, 18, false, 1000, 18), (37, false, 38, true, 1000, 38),
        (37, false, 18, true, 8000, 18), (20, true, 18, true, 1000, 20), (20, true, 18, false, 1000, 18),
        // By a clock that was a day ahead, and by one that was further ahead: that value has no age that is known.
        (37, false, 18, true, -86_400, 37), (37, false, 18, true, -86_401, 18),
    ])
    func `a lower bound replaces what is lower or stale`(
        first: Double,
        isFirstBound: Bool,
        second: Double,
        isSecondBound: Bool,
        pause: Double,
        expected: Double
    ) throws {
        let results = SpeedTestResults(
            [download(first, at: 0, isBound: isFirstBound), download(second, at: pause, isBound: isSecondBound)],
            staleAfter: .seconds(7200)
        )
        for values in [try #require(results.servers.first), try #require(results.uplinks.first)] {
            #expect(values.rates[.download] == .megabits(expected))
            #expect(values.lastSuccess == Date(timeIntervalSince1970: pause + 12.5))
        }
    }

    @Test func `values older than a date are dropped, each by its own age`() throws {
        let results = SpeedTestResults([.good(at: 1000), half { $0.download = .of(50) }])
        let known = try #require(results.servers.first)
        let kept = known.dropping(before: Date(timeIntervalSince1970: 2000))
        #expect(kept.rates == [.download: .megabits(50)])
        #expect(kept.ping == nil && kept.last == known.last)
    }
}
