import Foundation
import NetworkHealth
import NetworkPath
import Posix
import SpeedTestCore
import Statistics
import Testing

@testable import NetworkHealthExporter

/// What tests charge to the budget, and when it refuses one.
struct SpeedTestStateBudgetTests {
    private let start = SpeedTestState.start

    @Test func `a test charges what it moved, failed or not`() throws {
        var state = SpeedTestState.home()
        let account = TrafficAccount()
        state.begin(SpeedTestNetwork.online(), now: start)
        #expect(state.allowance(now: start) == 500_000_000)
        state.beginServer(account)
        state.reserve(500_000_000)
        account.add(CarriedBytes(received: 100, sent: 11))
        #expect(state.traffic == .init(received: 100, transmitted: 11), "the bytes of a running test are counted")
        #expect(state.remaining(at: start).day == 3_500_000_000, "reserved bytes do not remain")
        state.endServer(.failed(), now: start)
        state.end(SpeedTestNetwork.online(), hasSucceeded: false, now: start)
        #expect(state.remaining(at: start).day == 4_000_000_000 - 1010)
        #expect(state.remaining(at: start).month == 20_000_000_000 - 1010)
        #expect(state.traffic == .init(received: 10, transmitted: 1000))
        #expect(state.counters.runs == 1 && state.counters.failures == [.timeout: 1])
        #expect(state.budget.reserved == nil)
        #expect(state.results.last?.failure?.reason == .timeout)
    }

    @Test func `bytes that a killed process had reserved count as used`() throws {
        var saved = SpeedTestHistory.Saved()
        saved.budget.reserved = 40_000_000
        let state = SpeedTestState.home(saved)
        #expect(state.budget.reserved == nil)
        #expect(state.remaining(at: start).day == 3_960_000_000)
    }

    @Test func `without a run on this uplink a test needs a whole run's budget`() {
        var saved = SpeedTestHistory.Saved()
        saved.budget.ledger.charge(3_600_000_000, at: start)
        var fresh = SpeedTestState.home(saved)
        #expect(fresh.request(SpeedTestNetwork.online(), now: start) == .budget)
        saved.reports = [.good(at: start.timeIntervalSince1970 - 4000)]
        var known = SpeedTestState.home(saved)
        #expect(known.request(SpeedTestNetwork.online(), now: start) == nil, "the last one moved 67 MB")
        var elsewhere = SpeedTestState.home(saved)
        #expect(elsewhere.request(SpeedTestNetwork.online { $0.uplink = "wlan0" }, now: start) == .budget)
    }

    @Test func `the bytes that a running test reserves ahead follow its rate of the last second`() {
        var rate = TrafficRate()
        let begin = ContinuousClock.now
        let samples: [(milliseconds: Int, bytes: UInt64)] = [
            (0, 500), (500, 1500), (1000, 2500), (1500, 7500), (10_000, 7500), (11_000, 9500),
        ]
        let rates = samples.map { rate.add($0.bytes, at: begin + .milliseconds($0.milliseconds)) }
        #expect(rates == [0, 2000, 2000, 6000, 0, 2000])
    }
}
