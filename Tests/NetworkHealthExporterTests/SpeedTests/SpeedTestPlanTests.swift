import Foundation
import NetworkHealth
import SpeedTestCore
import Statistics
import Testing

@testable import NetworkHealthExporter

/// When the next test comes, by the state of network, clock, budget and results.
struct SpeedTestPlanTests {
    private let start = SpeedTestState.start

    @Test(arguments: [(nil, true, 30), (nil, false, nil), (0, false, 0), (7, true, 7)] as [(Int?, Bool, Int?)])
    func `the first delay is 30 s where its start is kept, unless one is configured`(
        configured: Int?,
        isKept: Bool,
        seconds: Int?
    ) {
        var section = SpeedTestSection()
        section.initialDelay = configured.map { .seconds($0) }
        #expect(section.firstDelay(isKept: isKept) == seconds.map { .seconds($0) })
    }

    @Test func `the first test is planned at the first moment online, unless a test is stored`() {
        var fresh = SpeedTestState.home(SpeedTestHistory.Saved(isKept: true))
        #expect(fresh.nextDecision(.online()) == .distantPast && fresh.firstRun == nil)
        #expect(fresh.decide(.online(), now: start + 5) == .wait(until: start + 35))
        #expect(fresh.nextDecision(.online()) == start + 35 && fresh.firstRun == start + 35)
        for saved in [
            SpeedTestHistory.Saved(reports: [.failed()], isKept: true),
            SpeedTestHistory.Saved(isProvisional: true, isKept: true),
        ] {
            #expect(SpeedTestState.home(saved).nextDecision(.online()) != .distantPast)
        }
        #expect(SpeedTestState.home(SpeedTestHistory.Saved(reports: [.good()], isKept: true)).firstRun == nil)
    }

    @Test func `the bytes of a month follow from the last test on this uplink, within the budget`() throws {
        let saved = SpeedTestHistory.Saved(reports: [.good()])
        let bytes = try #require(SpeedTestState.home(saved).bytesPerMonth(.online()))
        #expect(SpeedTestText.perMonth(bytes) == "about 9 GB a month at this line's speed")
        #expect(SpeedTestState.home(saved).bytesPerMonth(.online { $0.uplink = "wlan0" }) == nil)
        let limited = SpeedTestState.home(saved) { $0.budget.perMonth = 5_000_000_000 }
        #expect(limited.bytesPerMonth(.online()) == 5_000_000_000)
        var measured = SpeedTestState.home(saved)
        #expect(measured.takeNewBytesPerMonth(.online()) == bytes)
        #expect(measured.takeNewBytesPerMonth(.online()) == nil, "once")
        var here = SpeedTestServer.home
        here.url = "http://127.0.0.1:10319/speedtest"
        let local = SpeedTestHistory.Saved(reports: [.good(server: here, uplink: Uplink.local)])
        let looped = SpeedTestState.home(local) { $0.servers = [here] }
        #expect(looped.bytesPerMonth(.online()) == nil, "no line carries it")
        let last = LastSpeedTest(report: .good(), bytesPerMonth: 8_700_000_000)
        let document = String(decoding: last.json, as: UTF8.self)
        #expect(document.contains(#""estimate":"about 9 GB a month at this line's speed""#))
        #expect(document.contains(#""estimatedBytesPerMonth":8700000000"#))
        #expect(document.contains(#""server":"home""#))
    }

    @Test func `values stay fresh for twice a gap that the budget stretches`() {
        var state = SpeedTestState.home { $0.schedule.rhythm = .interval(.seconds(21_600)) }
        #expect(state.staleAfter == .seconds(43_800))
        state.begin(.online(), now: start)
        #expect(state.staleAfter > .seconds(100_000), "40 tests of 500 MB a month")
        state.endServer(.good(), now: start)
        state.end(.online(), hasSucceeded: true, now: start)
        #expect(state.staleAfter == .seconds(43_800), "297 tests of 67 MB remain")
    }

    @Test func `a gap that the budget stretches is known, and one of the schedule is none`() throws {
        // A test of 67 MB each ten minutes is 290 GB a month.
        var state = SpeedTestState.home(SpeedTestHistory.Saved(reports: [.good()])) {
            $0.schedule.rhythm = .interval(.seconds(600))
            $0.schedule.minGap = .zero
            $0.schedule.jitter = .zero
        }
        #expect(state.stretchedDelay(at: start) == nil, "nothing is planned yet")
        state.begin(.online(), now: start)
        state.endServer(.good(), now: start)
        state.end(.online(), hasSucceeded: true, now: start)
        let delay = try #require(state.stretchedDelay(at: start))
        #expect(delay > 3600 && state.nextRun == start + delay)
        var section = state.section
        section.budget.perMonth = .max
        state.apply(section, .online(), now: start)
        #expect(state.stretchedDelay(at: start) == nil)
        section.isEnabled = false
        state.apply(section, .online(), now: start)
        #expect(state.stretchedDelay(at: start) == nil)
    }

    @Test func `plans and charges of a clock that was ahead are corrected when it is set`() throws {
        let right = Date(timeIntervalSince1970: 1_800_000_000)
        let ahead = right + 25 * 365 * 86_400
        var state = SpeedTestState.home()
        let untouched = state.correct(.online(), for: start)
        #expect(!untouched)
        state.begin(.online(), now: ahead)
        state.endServer(.failed(), now: ahead)
        #expect(try #require(state.nextDecision(.online())) > ahead)
        let corrected = [state.correct(.online(), for: right), state.correct(.online(), for: right)]
        #expect(corrected == [true, false], "once")
        let next = try #require(state.nextDecision(.online()))
        #expect(next > right && next <= right + 54_000)
        let tomorrow = state.remaining(at: right + 86_400)
        #expect(tomorrow.day == 4_000_000_000, "it was used today")
    }

    @Test func `a latency-only test is no first test of the speed`() {
        var report = SpeedTestReport.good()
        report.isLatencyOnly = true
        #expect(SpeedTestState.home(SpeedTestHistory.Saved(reports: [report])).firstRun != nil)
    }

    @Test func `the first test is tried again minutes after it failed, also where the clock was set back meanwhile`()
        throws
    {
        let ahead = start + 25 * 365 * 86_400
        for (began, ended) in [(start, start + 5), (ahead, start + 60)] {
            var state = SpeedTestState.home(SpeedTestHistory.Saved(isKept: true)) {
                $0.schedule.rhythm = .interval(.seconds(3600))
            }
            state.begin(.online(), now: began)
            state.endServer(.failed(), now: ended)
            state.end(.online(), hasSucceeded: false, now: ended)
            // `min_gap` counts from the start of the test, 5 s before its end.
            #expect((595...750).contains(try #require(state.nextRun).timeIntervalSince(ended)))
            _ = state.correct(.online(), for: ended)
            #expect((595...750).contains(try #require(state.nextRun).timeIntervalSince(ended)), "\(began)")
        }
    }

    @Test func `without min_gap a test can be requested as soon as the round has ended`() {
        var state = SpeedTestState.home { $0.schedule.minGap = .zero }
        state.begin(.online(), now: start)
        #expect(state.request(.online(), now: start) == .running)
        state.end(.online(), hasSucceeded: true, now: start + 20)
        #expect(state.request(.online(), now: start + 20) == nil)
    }

    @Test func `a larger budget ends the wait for the next month`() throws {
        var saved = SpeedTestHistory.Saved(reports: [.good()])
        saved.budget.ledger.charge(19_999_000_000, at: start)
        var state = SpeedTestState.home(saved)
        state.begin(.online(), now: start)
        #expect(try #require(state.nextRun) > start + 15 * 86_400, "at the end of the month")
        var section = state.section
        section.budget.perMonth = 100_000_000_000
        state.apply(section, .online(), now: start + 60)
        #expect(try #require(state.nextRun) <= start + 60 + 54_000)
    }
}
