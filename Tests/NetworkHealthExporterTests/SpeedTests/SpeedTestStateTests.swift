import Foundation
import NetworkHealth
import NetworkPath
import SpeedTestCore
import Statistics
import Testing

@testable import NetworkHealthExporter

struct SpeedTestStateTests {
    private let start = SpeedTestState.start

    private func state(
        _ saved: SpeedTestHistory.Saved = SpeedTestHistory.Saved(),
        _ change: (inout SpeedTestSection) -> Void = { _ in }
    ) -> SpeedTestState { .home(saved, change) }

    private func online(_ change: (inout SpeedTestNetwork) -> Void = { _ in }) -> SpeedTestNetwork { .online(change) }

    @Test func `without a server there is no decision and there are no metrics`() {
        let state = state { $0.servers = [] }
        #expect(state.nextDecision(online()) == nil)
        #expect(SpeedTestMetrics.families(.init(state, on: "eth0", at: start)).isEmpty && state.nextRun == nil)
    }

    @Test func `before the first test there are counters and no values`() throws {
        let state = state()
        #expect(state.results(on: "eth0 198.18.0.254", at: start).isEmpty && !state.isRunning)
        #expect(state.counters.runs == 0)
        #expect(state.remaining(at: start) == .init(run: 500_000_000, day: 4_000_000_000, month: 20_000_000_000))
        #expect(state.staleAfter == .seconds(108_000))
        #expect(try #require(state.nextRun) >= start + 600, "not within min_gap of a start without a memory")
    }

    @Test func `a requested test begins now, and only one`() {
        var state = state()
        #expect(state.request(online(), now: start) == nil)
        #expect(state.nextDecision(online()) == .distantPast)
        #expect(state.request(online(), now: start) == .running)
        #expect(state.takeRequest(online(), now: start) == .run(latencyOnly: false))
        #expect(state.takeRequest(online(), now: start) == nil)
        #expect(state.request(online(), now: start) == .running, "no other test begins between the two")
        state.begin(online(), now: start)
        #expect(state.request(online(), now: start) == .running)
        #expect(state.isRunning)
        state.end(online(), hasSucceeded: false, now: start)
        #expect(!state.isRunning)
    }

    @Test func `a requested test is not refused outside of the windows`() throws {
        let window = try WeeklyWindow("Mon 00:00-00:01")
        var state = state { $0.schedule.windows = [window] }
        #expect(state.request(online(), now: start + 1) == nil)
        #expect(state.counters.skipped.isEmpty)
    }

    /// A test that found no server, to which it sent eight SYN.
    private var unreachable: SpeedTestReport {
        var report = SpeedTestReport.failed(.unreachable)
        report.traffic = ByteCounts(received: 40, transmitted: 480)
        return report
    }

    /// A state after one test, of 5 s.
    private func tested(_ report: SpeedTestReport) -> SpeedTestState {
        var state = state()
        state.begin(online(), now: start)
        state.endServer(report, now: start + 5)
        state.end(online(), hasSucceeded: report.failure == nil, now: start + 5)
        return state
    }

    @Test func `a test that is requested within min_gap of the last one is refused and counted`() {
        var state = tested(.good())
        #expect(state.request(online(), now: start + 20) == .gap)
        #expect(state.requestGap(at: start + 20) == 580)
        #expect(state.counters.skipped == [.gap: 1])

        // What does not end with the gap comes first.
        #expect(state.request(online { $0.isOnline = false }, now: start + 20) == .offline)
        #expect(state.request(online(), now: start + 600) == nil)
    }

    @Test func `a failed test delays a requested one only if it has moved more than attempts to connect`() {
        var report = SpeedTestReport.failed(.short)
        report.traffic = ByteCounts(received: 1500, transmitted: 1000)
        var (stalled, refused) = (tested(report), tested(unreachable))
        #expect(stalled.request(online(), now: start + 20) == .gap)
        #expect(refused.request(online(), now: start + 20) == nil)
    }

    @Test func `a start by a clock that was ahead delays no requested test`() {
        var state = tested(.good())
        #expect(state.request(online(), now: start - 60) == nil)
    }

    @Test func `min_gap lasts across a restart and the kill of a test, and a failure to connect does not`() {
        func restarted(_ state: SpeedTestState) -> SpeedTestState {
            self.state(SpeedTestHistory.Saved(memory: state.stored.memory, budget: state.stored.budget))
        }
        var killed = state()
        killed.begin(online(), now: start)
        let gaps = [tested(.good()), tested(unreachable), killed].map {
            restarted($0).requestGap(at: start + 20)
        }
        #expect(gaps == [580, nil, 580])
    }

    @Test func `what was read at the start is replaced by what the file has, once, and not by an empty file`() {
        var read = SpeedTestHistory.Saved(isProvisional: true)
        read.budget.ledger.charge(1, at: start)
        var (state, begun) = (self.state(read), self.state(read))
        let isReplaced = [
            begun.restore(SpeedTestHistory.Saved(), now: start),
            state.restore(SpeedTestHistory.Saved(reports: [.good()]), now: start),
            state.restore(read, now: start),
        ]
        #expect(isReplaced == [false, true, false])
        #expect(begun.remaining(at: start).day == 3_999_999_999 && !begun.isProvisional)
        #expect(state.remaining(at: start).day == 4_000_000_000 && state.results.last == .good())
    }

    @Test func `reports wait in order until a write succeeds, and only the newest are kept`() {
        var state = state()
        state.endServer(.failed(at: 1), now: start)
        state.endServer(.failed(at: 2), now: start)
        let taken = state.takeUnstored()
        #expect(state.unstored.isEmpty)
        state.endServer(.failed(at: 3), now: start)
        state.keepUnstored(taken)
        #expect(state.unstored == [.failed(at: 1), .failed(at: 2), .failed(at: 3)])
        for number in 4..<600 { state.endServer(.failed(at: Double(number)), now: start) }
        #expect(state.unstored.count == 500 && state.unstored.last == .failed(at: 599))
    }

    @Test(arguments: [Interruption.path, .configuration, .storage])
    func `an interrupted test says why, in the closed list of reasons`(interruption: Interruption) {
        let report = SpeedTestReport.failed(.cancelled).interrupted(by: interruption)
        #expect(report.failure?.reason == .cancelled)
        #expect(report.failure?.message == "cancelled: \(interruption.cause)")
        #expect(SpeedTestReport.failed(.timeout).interrupted(by: interruption) == .failed(.timeout))
        #expect(SpeedTestReport.good().interrupted(by: interruption) == .good())
    }

    @Test func `refusals are counted by reason`() {
        var state = state()
        #expect(state.request(SpeedTestNetwork(), now: start) == .offline)
        #expect(state.request(online { $0.isExpensive = true }, now: start) == .expensive)
        #expect(state.request(online { $0.isExpensive = nil }, now: start) == .costUnknown)
        #expect(state.request(online { $0.isConstrained = true }, now: start) == .constrained)
        #expect(state.counters.skipped == [.offline: 1, .expensive: 1, .costUnknown: 1, .constrained: 1])
        #expect(SkipReason.costUnknown.rawValue == "cost_unknown")
    }

    @Test func `a path whose cost no source knows is of unknown cost for a test`() {
        let monitor = HealthMonitor()
        monitor.receive(.measured)
        #expect(SpeedTestNetwork(monitor.current).isExpensive == false)
        var update = PathUpdate.measured
        update.path.expensiveSource = .unknown
        monitor.receive(update)
        #expect(SpeedTestNetwork(monitor.current).isExpensive == nil)
    }

    @Test func `a test whose bytes cannot be stored first is refused and counted`() {
        var state = state()
        #expect(state.request(online(), canStore: false, now: start) == .storage)
        #expect(state.nextDecision(online()) != .distantPast)
        #expect(state.request(online { $0.isOnline = false }, canStore: false, now: start) == .offline)
        state.begin(online(), now: start)
        state.reserve(500)
        state.refuseServer(at: start)
        #expect(state.lastSkip == SpeedTestState.Skip(reason: .storage, at: start))
        state.end(online(), hasSucceeded: false, now: start)
        #expect(state.counters.skipped == [.storage: 2, .offline: 1] && state.counters.runs == 0)
        #expect(state.budget == BudgetAccount() && !state.isRunning)
    }

    @Test func `only a change of the result of writes is reported`() {
        var state = state()
        let news = [true, false, false, true, true].map { state.noteStored($0) }
        #expect(news == [false, true, false, true, false])
    }

    @Test func `a server on this host is tested without a network, also on an expensive path`() {
        var state = state { $0.servers[0].url = "http://127.0.0.1:1/speedtest" }
        var network = SpeedTestNetwork()
        network.isExpensive = true
        #expect(state.request(network, now: start) == nil)
        network.isExpensive = nil
        #expect(network.conditions(state.section).isExpensive == false)
    }

    @Test func `a stored result is reported again, with its own time`() throws {
        var saved = SpeedTestHistory.Saved()
        saved.reports = [.good(at: 1_600_000_000), .failed(at: 1_600_001_000)]
        let results = state(saved).results(on: "eth0 198.18.0.254", at: start)
        #expect(results.map(\.last.server) == ["home"])
        #expect(results[0].last.failure?.reason == .timeout)
        #expect(results[0].lastSuccess == Date(timeIntervalSince1970: 1_600_000_012.5))
        let dropping = state(saved) { $0.dropAfter = .seconds(3600) }
        #expect(dropping.results(on: "eth0 198.18.0.254", at: start)[0].transfers.isEmpty)
        let without = state(saved) { $0.servers[0].name = "other" }
        #expect(without.results(on: "eth0 198.18.0.254", at: start).isEmpty, "a server that is no longer configured")
    }

    @Test(arguments: [
        (2_400_000.0, 0.0, false), (2_600_000, 0, true), (0, 240_000, false), (0, 260_000, true),
    ])
    func `a link is busy above a share of its measured speed, in either direction`(
        down: Double,
        up: Double,
        isBusy: Bool
    ) {
        let network = online {
            $0.load = [.download: BitRate(bytesPerSecond: down), .upload: BitRate(bytesPerSecond: up)]
        }
        #expect(network.isBusy(speed: [.download: .megabits(100), .upload: .megabits(10)], ratio: 0.2) == isBusy)
        #expect(!network.isBusy(speed: [:], ratio: 0.2), "it was not measured")
        #expect(!online().isBusy(speed: [.download: .megabits(1)], ratio: 0.2), "its load is not known")
    }

    @Test func `a test that waits for the internet is due as soon as the host is online`() throws {
        var state = state()
        let due = try #require(state.nextDecision(online()))
        let offline = online { $0.isOnline = false }
        #expect(state.decide(offline, now: due) == .skip(.offline))
        #expect(try #require(state.nextDecision(offline)) == due + 60)
        #expect(state.nextDecision(online()) == .distantPast)
        #expect(state.decide(online(), now: due + 1) == .run(latencyOnly: false))
        #expect(state.counters.skipped == [.offline: 1])
    }

    @Test func `a time of the schedule without a test is kept with its reason until a test begins`() throws {
        var state = state()
        let due = try #require(state.nextDecision(online()))
        #expect(state.lastSkip == nil)
        #expect(state.decide(online { $0.isExpensive = true }, now: due) == .skip(.expensive))
        #expect(state.lastSkip == SpeedTestState.Skip(reason: .expensive, at: due))
        // A request that is refused is none.
        #expect(state.request(online { $0.isConstrained = true }, now: due + 1) != nil)
        #expect(state.lastSkip?.reason == .expensive)
        state.begin(online(), now: due + 2)
        #expect(state.lastSkip == nil)
    }

    @Test func `while it is not known whether the host is online there is no decision`() {
        #expect(state().nextDecision(SpeedTestNetwork()) == nil)
        #expect(state { $0.servers[0].url = "http://[::1]:1/" }.nextDecision(SpeedTestNetwork()) != nil)
    }

    @Test func `a requested test is dropped when the path forbids it meanwhile, or the section is removed`() {
        var state = state()
        #expect(state.request(online(), now: start) == nil)
        #expect(state.takeRequest(online { $0.isExpensive = true }, now: start) == nil)
        #expect(state.counters.skipped == [.expensive: 1])
        #expect(state.request(online(), now: start) == nil)
        state.apply(SpeedTestSection(), online(), now: start)
        var section = SpeedTestSection()
        (section.isEnabled, section.servers) = (true, [.home])
        state.apply(section, online(), now: start)
        #expect(state.nextDecision(online()) != .distantPast)
    }

    @Test func `between two servers of a round the conditions are checked again`() {
        var state = state()
        state.begin(online(), now: start)
        #expect(state.refuse(online(), now: start) == nil)
        #expect(state.refuse(online { $0.isConstrained = true }, now: start) == .constrained)
        #expect(state.counters.skipped == [.constrained: 1])
    }

    @Test func `on an expensive path with latency_only a requested test measures the latency only`() {
        var state = state { $0.onExpensive = .latencyOnly }
        let expensive = online { $0.isExpensive = true }
        #expect(state.request(expensive, now: start) == nil)
        #expect(state.takeRequest(expensive, now: start) == .run(latencyOnly: true))
    }
}
