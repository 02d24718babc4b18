import Foundation
import SpeedTestCore
import Testing

@testable import NetworkHealthExporter

struct SpeedTestStateTests {
    private let start = Date(timeIntervalSince1970: 1_700_000_000)

    private func state(
        _ saved: SpeedTestHistory.Saved = SpeedTestHistory.Saved(),
        _ change: (inout SpeedTestSection) -> Void = { _ in }
    ) -> SpeedTestState {
        var section = SpeedTestSection()
        section.isEnabled = true
        section.servers = [.home]
        change(&section)
        return SpeedTestState(section: section, saved: saved, now: start)
    }

    private func online(_ change: (inout SpeedTestSurroundings) -> Void = { _ in }) -> SpeedTestSurroundings {
        var surroundings = SpeedTestSurroundings()
        surroundings.isKnown = true
        surroundings.isOnline = true
        surroundings.uplink = "eth0 198.18.0.254"
        change(&surroundings)
        return surroundings
    }

    @Test func `without a server there is nothing to decide and nothing to tell`() {
        let state = state { $0.servers = [] }
        #expect(state.nextDecision(online()) == nil)
        #expect(state.facts(now: start) == nil)
    }

    @Test func `before the first test the counters are there and the values are not`() throws {
        let facts = try #require(state().facts(now: start))
        #expect(facts.results.isEmpty && !facts.isRunning)
        #expect(facts.counters.runs == 0)
        #expect(facts.budget == .init(run: 500_000_000, day: 4_000_000_000, month: 60_000_000_000))
        #expect(facts.remaining == facts.budget)
        #expect(facts.staleAfter == 108_000.0)
        #expect(try #require(facts.nextRun) >= start + 600, "not within min_gap of a start without a memory")
    }

    @Test func `one asked for begins now, and only one`() {
        var state = state()
        #expect(state.request(online(), now: start) == nil)
        #expect(state.nextDecision(online()) == .distantPast)
        #expect(state.request(online(), now: start) == .running)
        #expect(state.takeRequest(online(), now: start) == SpeedTestRequest(isLatencyOnly: false))
        #expect(state.takeRequest(online(), now: start) == nil)
        #expect(state.request(online(), now: start) == .running, "between the two nobody else can begin")
        state.begin(now: start)
        #expect(state.request(online(), now: start) == .running)
        #expect(state.facts(now: start)?.isRunning == true)
        state.end()
        #expect(state.facts(now: start)?.isRunning == false)
    }

    @Test func `refusals are counted by reason`() {
        var state = state()
        #expect(state.request(SpeedTestSurroundings(), now: start) == .offline)
        #expect(state.request(online { $0.isExpensive = true }, now: start) == .expensive)
        #expect(state.request(online { $0.isConstrained = true }, now: start) == .constrained)
        #expect(state.counters.skipped == [.offline: 1, .expensive: 1, .constrained: 1])
    }

    @Test func `a test that cannot be written down first is refused, and one that was lent nothing is counted so`() {
        var state = state()
        #expect(state.request(online(), canStore: false, now: start) == .storage)
        #expect(state.nextDecision(online()) != .distantPast)
        #expect(state.request(online { $0.isOnline = false }, canStore: false, now: start) == .offline)
        state.begin(now: start)
        state.lend(500)
        state.refuseServer()
        state.end()
        #expect(state.counters.skipped == [.storage: 2, .offline: 1] && state.counters.runs == 0)
        #expect(state.books == SpeedTestBooks() && state.facts(now: start)?.isRunning == false)
    }

    @Test func `of writes only a change is news`() {
        var state = state()
        let news = [true, false, false, true, true].map { state.noteStored($0) }
        #expect(news == [false, true, false, true, false])
    }

    @Test func `what a clock that was ahead has planned and booked is taken back when it is set`() throws {
        let right = Date(timeIntervalSince1970: 1_800_000_000)
        let ahead = right + 25 * 365 * 86_400
        var state = state()
        let untouched = state.correct(for: start)
        #expect(!untouched)
        state.begin(now: ahead)
        state.endServer(SpeedTestRecord(.failed()), now: ahead)
        #expect(try #require(state.nextDecision(online())) > ahead)
        let corrected = [state.correct(for: right), state.correct(for: right)]
        #expect(corrected == [true, false], "once")
        let next = try #require(state.nextDecision(online()))
        #expect(next > right && next <= right + 54_000)
        let tomorrow = try #require(state.facts(now: right + 86_400)).remaining
        #expect(tomorrow.day == 4_000_000_000, "it was used today")
    }

    @Test func `this machine itself is measured without a network, whatever that costs`() {
        var state = state { $0.servers[0].url = "http://127.0.0.1:1/speedtest" }
        var surroundings = SpeedTestSurroundings()
        surroundings.isExpensive = true
        #expect(state.request(surroundings, now: start) == nil)
    }

    @Test func `a test charges what it moved, failed or not`() throws {
        var state = state()
        let account = TrafficAccount()
        state.begin(now: start)
        #expect(state.allowance(now: start) == 500_000_000)
        state.beginServer(account)
        state.lend(500_000_000)
        account.add(received: 100, transmitted: 11)
        let during = try #require(state.facts(now: start))
        #expect(during.traffic == .init(received: 100, transmitted: 11), "a running test's bytes are told")
        #expect(during.remaining.day == 3_500_000_000, "what is lent is not left")
        state.endServer(SpeedTestRecord(.failed()), now: start)
        state.end()
        let facts = try #require(state.facts(now: start))
        #expect(facts.remaining.day == 4_000_000_000 - 1010)
        #expect(facts.remaining.month == 60_000_000_000 - 1010)
        #expect(facts.traffic == .init(received: 10, transmitted: 1000))
        #expect(facts.counters.runs == 1 && facts.counters.failures == [.timeout: 1])
        #expect(state.books.lent == nil)
        #expect(state.lastRecord?.failure == .timeout)
    }

    @Test func `what a killed process had been lent is used`() throws {
        var saved = SpeedTestHistory.Saved()
        saved.books.lent = 40_000_000
        let state = state(saved)
        #expect(state.books.lent == nil)
        #expect(try #require(state.facts(now: start)).remaining.day == 3_960_000_000)
    }

    @Test func `without a run on this uplink a test needs a whole run's budget`() {
        var saved = SpeedTestHistory.Saved()
        saved.books.ledger.charge(3_600_000_000, at: start)
        var fresh = state(saved)
        #expect(fresh.request(online(), now: start) == .budget)
        saved.records = [SpeedTestRecord(.good(at: start.timeIntervalSince1970 - 4000))]
        var known = state(saved)
        #expect(known.request(online(), now: start) == nil, "the last one moved 67 MB")
        var elsewhere = state(saved)
        #expect(elsewhere.request(online { $0.uplink = "wlan0" }, now: start) == .budget)
    }

    @Test func `a result of before is told again, with its own time`() throws {
        var saved = SpeedTestHistory.Saved()
        saved.records = [SpeedTestRecord(.good(at: 1_600_000_000)), SpeedTestRecord(.failed(at: 1_600_001_000))]
        let results = try #require(state(saved).facts(now: start)).results
        #expect(results.map(\.server) == ["home"])
        #expect(results[0].results.last.failure == .timeout)
        #expect(results[0].results.lastSuccess == Date(timeIntervalSince1970: 1_600_000_012.5))
        let dropping = state(saved) { $0.dropAfter = .seconds(3600) }
        #expect(try #require(dropping.facts(now: start)).results[0].results.transfers.isEmpty)
        let without = state(saved) { $0.servers[0].name = "other" }
        #expect(try #require(without.facts(now: start)).results.isEmpty, "a server that is no longer configured")
    }

    @Test(arguments: [
        (2_400_000.0, 0.0, false), (2_600_000, 0, true), (0, 240_000, false), (0, 260_000, true),
    ])
    func `a link is busy above a part of its measured speed, in either direction`(
        down: Double,
        up: Double,
        isBusy: Bool
    ) {
        let surroundings = online { $0.load = [.download: down, .upload: up] }
        #expect(surroundings.isBusy(speed: [.download: 12_500_000, .upload: 1_250_000], ratio: 0.2) == isBusy)
        #expect(!surroundings.isBusy(speed: [:], ratio: 0.2), "nobody has measured it")
        #expect(!online().isBusy(speed: [.download: 1], ratio: 0.2), "nobody knows what it carries")
    }

    @Test func `a test that waits for an internet is due as soon as there is one`() throws {
        var state = state()
        let due = try #require(state.nextDecision(online()))
        let offline = online { $0.isOnline = false }
        #expect(state.decide(offline, now: due) == .skip(.offline))
        #expect(try #require(state.nextDecision(offline)) == due + 60)
        #expect(state.nextDecision(online()) == .distantPast)
        #expect(state.decide(online(), now: due + 1) == .run(latencyOnly: false))
        #expect(state.counters.skipped == [.offline: 1])
    }

    @Test func `while nobody knows whether there is an internet nothing is decided`() {
        #expect(state().nextDecision(SpeedTestSurroundings()) == nil)
        #expect(state { $0.servers[0].url = "http://[::1]:1/" }.nextDecision(SpeedTestSurroundings()) != nil)
    }

    @Test func `what was asked for is given up when the path forbids it meanwhile, or the section goes`() {
        var state = state()
        #expect(state.request(online(), now: start) == nil)
        #expect(state.takeRequest(online { $0.isExpensive = true }, now: start) == nil)
        #expect(state.counters.skipped == [.expensive: 1])
        #expect(state.request(online(), now: start) == nil)
        state.apply(SpeedTestSection(), now: start)
        var section = SpeedTestSection()
        (section.isEnabled, section.servers) = (true, [.home])
        state.apply(section, now: start)
        #expect(state.nextDecision(online()) != .distantPast)
    }

    @Test func `between two servers of a round the gates are asked again`() {
        var state = state()
        state.begin(now: start)
        #expect(state.refuse(online(), now: start) == nil)
        #expect(state.refuse(online { $0.isConstrained = true }, now: start) == .constrained)
        #expect(state.counters.skipped == [.constrained: 1])
    }

    @Test func `on an expensive path that may be measured a little, a request is for the latency only`() {
        var state = state { $0.onExpensive = .latencyOnly }
        let expensive = online { $0.isExpensive = true }
        #expect(state.request(expensive, now: start) == nil)
        #expect(state.takeRequest(expensive, now: start) == SpeedTestRequest(isLatencyOnly: true))
    }
}
