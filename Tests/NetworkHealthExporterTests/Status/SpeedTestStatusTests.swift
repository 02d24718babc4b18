import Foundation
import NetworkHealth
import SpeedTestCore
import Statistics
import Testing

@testable import NetworkHealthExporter

/// What the page shows of speed tests and of their budget.
struct SpeedTestStatusTests {
    @Test func `the page has the usual speeds, those of the plan, and why the last time of the schedule had no test`()
        throws
    {
        let fixture = try CollectorFixture()
        fixture.goOnline()
        let begin = Date.now.timeIntervalSince1970 - 1000
        for (second, rate) in [80.0, 150, 90, 120, 100].enumerated() {
            var report = SpeedTestReport.good(at: begin + Double(second))
            report.download = .of(rate)
            fixture.test(report)
        }
        let network = SpeedTestNetwork(fixture.health.current)
        var expensive = network
        expensive.isExpensive = true
        fixture.speedTests.board.update { [expensive] state in
            // The first decision may be when the first test is.
            for _ in 0..<3 where state.lastSkip == nil {
                _ = state.decide(expensive, now: state.nextRun ?? Date.now)
            }
        }
        let now = Date(timeIntervalSince1970: begin + 4 + 12.5 + 300)
        let status = SpeedTestStatus(fixture.speedTests.view, nil, network, at: now)
        #expect(status.usual.downloadSpeedMbps == 100 && status.usual.uploadSpeedMbps == 10)
        #expect(status.plan.downloadSpeedMbps == 200 && status.plan.uploadSpeedMbps == nil)
        #expect(status.skipped?.reason == "expensive")
        #expect(status.nextAt != nil && status.nextAt == fixture.speedTests.board.read(\.nextRun))
        #expect(status.ageSeconds == 300 && status.servers == ["home"])
        #expect(status.counted == nil && status.running == nil, "nothing counts without a measurement")
    }

    @Test func `the page says why no test can be started, how far a running one is, and from when on one can`() throws {
        let fixture = try CollectorFixture()
        fixture.goOnline()
        let (network, now) = (SpeedTestNetwork(fixture.health.current), Date.now)
        func status(isAllowed: Bool = true) -> SpeedTestStatus {
            let browsers = fixture.context.browsers
            let view = SpeedTestView(service: fixture.speedTests, isAllowed: isAllowed, browsers: browsers)
            return SpeedTestStatus(view, nil, network, at: now)
        }
        let open = status()
        #expect(open.canStart && open.reason == nil && open.canStartAt == nil)
        let closed = status(isAllowed: false)
        #expect(!closed.canStart && closed.reason?.contains("--web.enable-admin-api") == true)
        fixture.speedTests.board.update { state in
            state.begin(network, now: now)
            state.beginServer(TrafficAccount())
        }
        fixture.speedTests.board.advance(SpeedTestProgress(.download, fraction: 0.42, rate: .megabits(41.3)))
        let busy = status()
        #expect(!busy.canStart && busy.reason == "a speed test is running" && busy.canStartAt == nil)
        #expect(busy.running?.phase == "download" && busy.running?.fraction == 0.42)
        #expect(busy.running?.speedMbps == 41.3)
        fixture.speedTests.board.update { state in
            state.endServer(.good(at: now.timeIntervalSince1970), now: now)
            state.end(network, hasSucceeded: true, now: now)
        }
        let soon = status()
        #expect(!soon.canStart && soon.reason == "the last speed test began less than speedtest.min_gap ago")
        let wait = try #require(soon.canStartAt).timeIntervalSince(now)
        #expect((300...600).contains(wait), "\(wait) s")
    }

    @Test func `the speeds that count say what limited them, and whether the device carried less in the same test`()
        throws
    {
        var report = SpeedTestReport.good()
        report.download?.exceedsDevice = true
        let known = SpeedTestResults([report]).uplinks.first
        let end = report.endedAt
        func counted(at date: Date) -> CountedSpeeds {
            let download = SpeedMeasurement.Speed(
                rate: .megabits(100),
                measuredAt: date,
                isLowerBound: true,
                uncertainty: 0.25
            )
            let upload = SpeedMeasurement.Speed(rate: .megabits(10), measuredAt: date)
            return CountedSpeeds(SpeedMeasurement(download: download, upload: upload), known)
        }
        let same = counted(at: end)
        #expect(same.download?.speedMbps == 100 && same.upload?.speedMbps == 10)
        #expect(same.download?.measuredAt == end && same.download?.uncertaintyRatio == 0.25)
        #expect(same.download?.isLowerBound == true && same.upload?.isLowerBound == false)
        #expect(same.download?.exceedsDevice == true && same.upload?.exceedsDevice == false)
        #expect(counted(at: end - 60).download?.exceedsDevice == false, "of an earlier test")
    }

    @Test func `the budget has what tests have used or reserved of the day and of the month, and when the month ends`()
        throws
    {
        // 10 March 2026, and the day before.
        let noon = Date(timeIntervalSince1970: 1_773_144_000)
        var saved = SpeedTestHistory.Saved()
        saved.budget.ledger.charge(100_000_000, at: noon - 86_400)
        saved.budget.ledger.charge(60_000_000, at: noon)
        var state = SpeedTestState.home(saved)
        state.reserve(5_000_000)
        let status = try #require(BudgetStatus(state, .online(), at: noon))
        #expect(status.dayLimitBytes == 4_000_000_000 && status.monthLimitBytes == 20_000_000_000)
        #expect(status.dayUsedBytes == 65_000_000 && status.monthUsedBytes == 165_000_000)
        // 1 April, by the clock of this machine.
        #expect(abs(status.resetsAt.timeIntervalSince1970 - 1_775_001_600) <= 14 * 3600)
        #expect(BudgetStatus(.home { $0.isEnabled = false }, .online(), at: noon) == nil)
    }
}
