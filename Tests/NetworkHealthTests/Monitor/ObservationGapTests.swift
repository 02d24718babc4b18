import FoundationEssentials
import NetworkHealth
import NetworkPath
import Probing
import Statistics
import Testing

/// Time in which the process does not run: by the second, with the clock handed in.
struct ObservationGapTests {
    @Test func `a loop that runs more than five seconds late has observed nothing since it was due`() {
        #expect(ObservationGap(due: Moment.at(10), now: Moment.at(15)) == nil)
        let gap = ObservationGap(due: Moment.at(10), now: Moment.at(15.1))
        #expect(gap?.start == Moment.at(10) && gap?.end == Moment.at(15.1))
    }

    @Test func `that time is not monitored, and while online nothing else changes`() throws {
        let timeline = Timeline()
        _ = timeline.up(1, at: 0)
        _ = timeline.verdict(.online, on: 1, at: 1)
        timeline.due(at: 100)
        #expect(timeline.missed(at: 105).isEmpty && timeline.outages.monitored(at: Moment.at(105)) == .seconds(105))
        let states = timeline.missed(at: 160)
        #expect(states.map(\.isOnline) == [true])
        let start = timeline.date(100).timeIntervalSince1970
        #expect(states.first?.gap == DatedGap(start: start, end: start + 60))
        #expect(timeline.outages.monitored(at: Moment.at(170)) == .seconds(110))
        #expect(timeline.lastTransition == timeline.date(1))
        #expect(timeline.missed(at: 160).isEmpty, "once")
        _ = timeline.verdict(.noInternet, .upstream, on: 1, evidence: 159, at: 165)
        #expect(timeline.outages.offline(.noInternet, at: Moment.at(170)) == .seconds(10), "none begins in it")
    }

    @Test func `an outage is known up to its begin; what follows is not known until the next verdict`() throws {
        let timeline = Timeline()
        _ = timeline.up(1, at: 0)
        _ = timeline.verdict(.noInternet, .upstream, on: 1, at: 10)
        timeline.due(at: 40)
        let states = timeline.missed(at: 100)
        #expect(states.map(\.isOnline) == [nil, nil] && states.first?.timestamp == timeline.date(40))
        #expect(states.first?.outage == Outage(.noInternet, since: Moment.at(10), length: .seconds(30)))
        let transition = Transition(from: timeline.before, to: try #require(states.first))
        #expect(transition?.outageSeconds == 30 && transition?.online == nil && transition?.internetState == "unknown")
        #expect(timeline.lastOutage?.end == timeline.date(40).timeIntervalSince1970)
        // It was repaired meanwhile, or it was not.
        let online = try #require(timeline.verdict(.online, on: 1, at: 101))
        #expect(online.isOnline == true && timeline.outages.count(.noInternet) == 1)
        #expect(timeline.outages.offline(.noInternet, at: Moment.at(200)) == .seconds(30))
        #expect(timeline.outages.monitored(at: Moment.at(200)) == .seconds(140))
    }

    @Test func `an outage that lasts is another one from its end on`() throws {
        let timeline = Timeline()
        _ = timeline.up(1, at: 0)
        _ = timeline.verdict(.noInternet, .upstream, on: 1, at: 10)
        timeline.due(at: 40)
        _ = timeline.missed(at: 100)
        _ = timeline.verdict(.noInternet, .upstream, on: 1, evidence: 99, at: 103)
        #expect(timeline.outages.ongoing?.since == Moment.at(100))
        #expect(timeline.outages.offline(.noInternet, at: Moment.at(110)) == .seconds(40))
    }

    @Test func `a link that is down is known to be down at once`() throws {
        let timeline = Timeline()
        _ = timeline.up(1, at: 0)
        _ = timeline.down(2, at: 10, cause: .carrier)
        timeline.due(at: 40)
        let states = timeline.missed(at: 100)
        #expect(states.map(\.isOnline) == [nil, false])
        #expect(Transition(from: timeline.before, to: states[0])?.outageSeconds == 30)
        #expect(states[1].outage == Outage(.link, since: Moment.at(100)))
        #expect(timeline.outages.offline(.link, at: Moment.at(105)) == .seconds(35))
    }

    @Test func `before the first path nothing was monitored`() {
        let timeline = Timeline()
        timeline.due(at: 0)
        #expect(timeline.missed(at: 60).isEmpty)
        _ = timeline.up(1, at: 61)
        #expect(timeline.outages.monitored(at: Moment.at(71)) == .seconds(10))
    }
}
