import Foundation
import NetworkHealth
import NetworkPath
import Probing
import Statistics
import Testing

struct HealthReducerInternetTests {
    @Test func `before the first verdict online is unknown, and the quality is that of the path`() throws {
        let timeline = Timeline()
        let first = timeline.up(1, at: 0)
        #expect(first.isOnline == nil)
        #expect(first.internet == nil)
        #expect(first.status == .connected)
        #expect(first.quality == .good)
        let online = try #require(timeline.verdict(.online, on: 1, at: 1))
        #expect(online.isOnline == true)
        #expect(online.internet?.state == .online)
        #expect(online.timestamp == timeline.date(1))
        #expect(timeline.outages.ongoing == nil)
        #expect(timeline.lastTransition == timeline.date(1))
    }

    @Test func `an outage ends with the first evidence of that in counters, record and transition`() throws {
        let timeline = Timeline()
        _ = timeline.up(1, at: 0)
        _ = timeline.verdict(.online, on: 1, at: 1)
        let down = try #require(timeline.verdict(.noInternet, .gateway, on: 1, evidence: 10, at: 18))
        _ = timeline.verdict(.noInternet, .gateway, on: 1, evidence: 10, at: 50, isRecovering: true)
        #expect(timeline.outages.offline(.gateway, at: Moment.at(51)) == .seconds(40))
        let up = try #require(timeline.verdict(.online, on: 1, evidence: 50, at: 51.5))
        let transition = try #require(Transition(from: down, to: up))
        #expect(transition.at == 1_700_000_050 && transition.outageSeconds == 40)
        #expect(timeline.lastOutage?.start == 1_700_000_010 && timeline.lastOutage?.end == 1_700_000_050)
        #expect(timeline.lastOutage == DatedOutage(transition))
        #expect(timeline.lastTransition == Date(timeIntervalSince1970: transition.at))
        #expect(timeline.outages.offline(.gateway, at: Moment.at(99)) == .seconds(40))
    }

    @Test func `checks that this machine hinders leave online unknown as soon as the monitor says so`() throws {
        let timeline = Timeline()
        _ = timeline.up(1, at: 0)
        let hindered = try #require(timeline.verdict(.unknown, on: 1, at: 1, isHindered: true))
        #expect(hindered.isOnline == nil && hindered.internet?.isHindered == true)
        #expect(timeline.outages.ongoing == nil)
        #expect(timeline.verdict(.online, on: 1, at: 2)?.isOnline == true)
        let kept = try #require(timeline.verdict(.online, on: 1, evidence: 2, at: 4, isHindered: true))
        #expect(kept.isOnline == true && kept.internet?.isHindered == true)
        let stale = try #require(timeline.verdict(.unknown, on: 1, at: 5, isHindered: true))
        #expect(stale.isOnline == nil && stale.internet?.isHindered == true)
    }

    @Test(arguments: [
        (InternetState.online, true), (.degraded, true), (.tlsUntrusted, true), (.captivePortal, false),
        (.dnsBroken, false), (.noInternet, false),
    ])
    func `is online where traffic gets through, and else offline in quality too`(
        verdict: InternetState,
        expected: Bool
    ) throws {
        let timeline = Timeline()
        _ = timeline.up(1, at: 0)
        let state = try #require(timeline.verdict(verdict, on: 1, at: 1))
        #expect(state.isOnline == expected)
        #expect(state.status == .connected)
        #expect(state.quality == (expected ? .good : .offline))
        #expect((timeline.outages.ongoing == nil) == expected)
    }

    @Test(arguments: [
        (InternetState.noInternet, InternetCause?.some(.gateway), OutageCause.gateway),
        (.noInternet, .upstream, .noInternet),
        (.noInternet, nil, .noInternet), (.dnsBroken, .dns, .dnsBroken), (.dnsBroken, nil, .dnsBroken),
        (.captivePortal, .captivePortal, .captivePortal),
        (.captivePortal, nil, .captivePortal), (.dnsBroken, .gateway, .gateway),
        (.tlsUntrusted, .tlsUntrusted, .tlsUntrusted),
    ])
    func `counts an outage once, with the verdict's cause, from its evidence on`(
        state: InternetState,
        cause: InternetCause?,
        expected: OutageCause
    ) throws {
        let timeline = Timeline()
        _ = timeline.up(1, at: 0)
        _ = timeline.verdict(.online, on: 1, at: 1)
        _ = timeline.verdict(state, cause, on: 1, evidence: 10, at: 14)
        #expect(timeline.outages.offline(expected, at: Moment.at(15)) == .seconds(5))
        // Another word about the same outage is not another one.
        _ = timeline.verdict(.captivePortal, .captivePortal, on: 1, evidence: 20, at: 21)
        #expect(OutageCause.allCases.filter { timeline.outages.count($0) > 0 } == [expected])
        #expect(timeline.outages.count(expected) == 1)
        _ = timeline.verdict(.online, on: 1, at: 30)
        #expect(timeline.outages.ongoing == nil)
        #expect(timeline.outages.offline(expected, at: Moment.at(99)) == .seconds(20))
    }

    @Test func `a lost path is offline at once, by the path's cause`() throws {
        let timeline = Timeline()
        _ = timeline.up(1, at: 0)
        _ = timeline.verdict(.online, on: 1, at: 1)
        let gone = timeline.down(2, at: 5, cause: .carrier)
        #expect(gone.isOnline == false)
        #expect(gone.internet?.state == .noPath)
        #expect(gone.quality == .offline)
        #expect(timeline.outages.ongoing?.cause == .link)
        #expect(timeline.outages.ongoing?.since == Moment.at(5))
        #expect(timeline.lastTransition == timeline.date(5))
        // Whatever a round finds that was under way.
        #expect(timeline.verdict(.online, on: 1, at: 6) == nil)
        #expect(timeline.verdict(.online, on: 2, at: 6) == nil)
        #expect(timeline.verdict(.noPath, on: 2, at: 6) == nil)
    }

    @Test func `a path that starts without one is offline, and that is known`() {
        let timeline = Timeline()
        #expect(timeline.down(1, at: 0, cause: .route).isOnline == false)
        #expect(timeline.outages.count(.route) == 1)
        #expect(timeline.up(2, at: 1).isOnline == nil)
    }

    @Test func `after a return online waits for the first verdict of that path`() throws {
        let timeline = Timeline()
        _ = timeline.up(1, at: 0)
        _ = timeline.verdict(.online, on: 1, at: 1)
        _ = timeline.down(2, at: 5, cause: .carrier)
        let back = timeline.up(3, at: 8)
        #expect(back.isOnline == nil, "no check has ended yet")
        #expect(back.quality == .good, "as at the start")
        #expect(HealthReason(back) == .starting)
        #expect(back.status == .connected)
        #expect(back.internet?.state == .unknown)
        #expect(timeline.verdict(.online, on: 1, at: 9) == nil, "it is about the path before the loss")
        #expect(timeline.verdict(.online, on: 2, at: 9) == nil)
        #expect(timeline.verdict(.noPath, on: 3, at: 9) == nil)
        #expect(timeline.outages.ongoing?.cause == .link)
        #expect(try #require(timeline.verdict(.online, on: 3, at: 10)).isOnline == true)
        #expect(timeline.outages.offline(.link, at: Moment.at(99)) == .seconds(5))
        #expect(timeline.lastTransition == timeline.date(10))
    }

    @Test func `the state carries the outage, and after its end how long it was`() throws {
        let timeline = Timeline()
        _ = timeline.up(1, at: 0)
        #expect(try #require(timeline.verdict(.online, on: 1, at: 1)).outage == nil)
        #expect(timeline.down(2, at: 5, cause: .carrier).outage == Outage(.link, since: Moment.at(5)))
        #expect(timeline.up(3, at: 8).outage?.isOngoing == true, "no check has ended yet")
        let online = try #require(timeline.verdict(.online, on: 3, at: 10))
        #expect(online.outage == Outage(.link, since: Moment.at(5), length: .seconds(5)))
        #expect(timeline.outages.durations.sum == 5)
    }

    @Test func `an outage that goes on has the cause of now, and none while that is not known`() {
        let timeline = Timeline()
        #expect(timeline.up(1, at: 0).currentCause == nil)
        #expect(timeline.verdict(.online, on: 1, at: 1)?.currentCause == nil)
        #expect(timeline.down(2, at: 5, cause: .carrier).currentCause == .link)
        #expect(timeline.down(3, at: 6, cause: .route, reason: .connecting).currentCause == nil)
        #expect(timeline.down(3, at: 7, cause: .route, reason: .noRoute).currentCause == .route)
        #expect(timeline.up(4, at: 8).currentCause == nil, "no check has ended yet")
        let silent = timeline.verdict(.noInternet, .upstream, on: 4, at: 12)
        #expect(silent?.currentCause == .noInternet && silent?.outage == Outage(.link, since: Moment.at(5)))
        #expect(timeline.verdict(.unknown, on: 4, at: 15, isHindered: true)?.currentCause == .noInternet)
        #expect(timeline.verdict(.online, on: 4, at: 20)?.currentCause == nil)
        #expect(Timeline().down(1, at: 0, cause: .route, reason: .connecting).currentCause == .route)
    }

    @Test func `the last outage has its times by the wall clock, from its evidence on`() {
        let timeline = Timeline()
        _ = timeline.up(1, at: 0)
        _ = timeline.verdict(.online, on: 1, at: 1)
        #expect(timeline.lastOutage == nil)
        _ = timeline.verdict(.noInternet, .gateway, on: 1, evidence: 10, at: 14)
        let start = timeline.date(10).timeIntervalSince1970
        #expect(timeline.lastOutage?.cause == .gateway && timeline.lastOutage?.start == start)
        #expect(timeline.lastOutage?.end == nil)
        _ = timeline.verdict(.noInternet, .upstream, on: 1, evidence: 10, at: 20)
        #expect(timeline.lastOutage?.cause == .gateway && timeline.lastOutage?.start == start)
        _ = timeline.verdict(.online, on: 1, at: 30)
        let ended = timeline.lastOutage
        #expect(ended?.start == start && ended?.end == timeline.date(30).timeIntervalSince1970)
        // It stays while the network changes, until the next one.
        _ = timeline.up(2, at: 40, over: .wifi)
        #expect(timeline.lastOutage == ended)
        _ = timeline.down(3, at: 50, cause: .carrier)
        #expect(timeline.lastOutage?.cause == .link && timeline.lastOutage?.end == nil)
    }

    @Test func `the path may change again before that verdict`() throws {
        let timeline = Timeline()
        _ = timeline.down(1, at: 0)
        _ = timeline.up(2, at: 1)
        #expect(timeline.up(3, at: 2).isOnline == nil)
        #expect(timeline.verdict(.online, on: 1, at: 3) == nil)
        #expect(try #require(timeline.verdict(.online, on: 2, at: 3)).isOnline == true, "it is the path that came back")
    }

    @Test func `an outage that goes on behind the cable is the same, with its first cause`() {
        let timeline = Timeline()
        _ = timeline.up(1, at: 0)
        _ = timeline.verdict(.online, on: 1, at: 1)
        _ = timeline.down(2, at: 10, cause: .carrier)
        _ = timeline.up(3, at: 12)
        _ = timeline.verdict(.dnsBroken, .dns, on: 3, evidence: 12, at: 13)
        _ = timeline.down(4, at: 20, cause: .route)
        _ = timeline.up(5, at: 21)
        _ = timeline.verdict(.online, on: 5, at: 30)
        #expect(timeline.outages.count(.link) == 1)
        #expect(timeline.outages.count(.dnsBroken) == 0)
        #expect(timeline.outages.count(.route) == 0)
        #expect(timeline.outages.offline(.link, at: Moment.at(99)) == .seconds(20))
    }

    @Test(arguments: [InternetState.online, .noInternet])
    func `while the path only changes the last verdict stands until the new one`(last: InternetState) throws {
        let timeline = Timeline()
        _ = timeline.up(1, at: 0)
        _ = timeline.verdict(last, on: 1, at: 1)
        let changed = timeline.up(2, at: 5, over: .wifi)
        #expect(changed.isOnline == (last == .online))
        #expect(changed.internet?.state == last)
        #expect(timeline.verdict(.noPath, on: 2, at: 6) == nil)
        #expect(timeline.verdict(.unknown, on: 2, at: 6) == nil)
        let other: InternetState = last == .online ? .noInternet : .online
        #expect(try #require(timeline.verdict(other, on: 2, at: 7)).isOnline == (other == .online))
        #expect(timeline.verdict(last, on: 1, at: 8) == nil, "a newer path has its verdict")
        #expect(timeline.verdict(last, on: 3, at: 8) == nil, "there is no such path")
    }

    @Test func `a path whose generations restart changes nothing`() {
        let timeline = Timeline()
        _ = timeline.up(7, at: 0)
        _ = timeline.verdict(.online, on: 7, at: 1)
        #expect(timeline.up(1, at: 2).isOnline == true)
        #expect(timeline.verdict(.captivePortal, on: 1, at: 3) == nil)
    }

    @Test func `flapping without a verdict between is one outage, with one it is one each`() {
        let timeline = Timeline()
        _ = timeline.up(1, at: 0)
        _ = timeline.verdict(.online, on: 1, at: 1)
        for round in 1...5 {
            _ = timeline.down(UInt64(2 * round), at: Double(10 * round), cause: .carrier)
            _ = timeline.up(UInt64(2 * round + 1), at: Double(10 * round + 1))
        }
        #expect(timeline.outages.count(.link) == 1)
        _ = timeline.verdict(.online, on: 11, at: 60)
        #expect(timeline.outages.offline(.link, at: Moment.at(99)) == .seconds(50))
        for round in 6...10 {
            _ = timeline.down(UInt64(2 * round), at: Double(10 * round + 10), cause: .carrier)
            _ = timeline.up(UInt64(2 * round + 1), at: Double(10 * round + 11))
            _ = timeline.verdict(.online, on: UInt64(2 * round + 1), at: Double(10 * round + 12))
        }
        #expect(timeline.outages.count(.link) == 6)
        #expect(timeline.outages.offline(.link, at: Moment.at(999)) == .seconds(60))
    }

    @Test func `a suspicion is reported and changes nothing else, a repeated verdict is not reported`() throws {
        let timeline = Timeline()
        _ = timeline.up(1, at: 0)
        _ = timeline.verdict(.online, on: 1, at: 1)
        #expect(timeline.verdict(.online, on: 1, at: 2) != nil, "its evidence is another")
        #expect(timeline.verdict(.online, on: 1, evidence: 2, at: 3) == nil)
        let suspect = try #require(timeline.verdict(.online, on: 1, evidence: 2, at: 4, isSuspect: true))
        #expect(suspect.isOnline == true)
        #expect(suspect.internet?.isSuspect == true)
        #expect(timeline.outages.ongoing == nil)
        #expect(timeline.lastTransition == timeline.date(1))
    }

    @Test func `no state waits for a verdict before the first path, nor where the internet is not probed`() {
        var timeline = Timeline()
        #expect(timeline.verdict(.online, on: 1, at: 0) == nil)
        timeline = Timeline(expectsVerdict: false)
        #expect(timeline.up(1, at: 0).isOnline == true)
        #expect(timeline.verdict(.noInternet, on: 1, at: 1) == nil)
        #expect(timeline.reducer.state?.isOnline == true)
        #expect(timeline.reducer.state?.internet == nil)
    }

    @Test func `may begin to wait for verdicts at any time, and stop`() throws {
        let timeline = Timeline(expectsVerdict: false)
        _ = timeline.up(1, at: 0)
        #expect(try #require(timeline.expect(true, at: 1)).isOnline == nil)
        #expect(timeline.expect(true, at: 1) == nil)
        _ = timeline.verdict(.captivePortal, on: 1, evidence: 1, at: 2)
        #expect(timeline.outages.count(.captivePortal) == 1)
        #expect(timeline.lastTransition == timeline.date(2))
        let connected = try #require(timeline.expect(false, at: 6))
        #expect(connected.isOnline == true)
        #expect(connected.internet == nil)
        #expect(timeline.outages.offline(.captivePortal, at: Moment.at(9)) == .seconds(5))
        _ = timeline.down(2, at: 10)
        #expect(try #require(timeline.expect(true, at: 11)).isOnline == false, "there is no path to ask over")
    }
}
