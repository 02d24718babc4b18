import NetworkHealth
import NetworkPath
import Probing
import Testing

/// Outages that another exporter has observed, as that of the host of a container.
struct HealthReducerAdoptedTests {
    @Test func `an outage that another exporter has observed has its times, by the wall clock, too`() throws {
        let timeline = Timeline()
        _ = timeline.up(1, at: 0)
        _ = timeline.verdict(.online, on: 1, at: 1)
        let down = try #require(timeline.verdict(.noInternet, on: 1, evidence: 10, at: 21))
        #expect(down.datedOutage?.start == 1_700_000_010 && down.datedOutage?.end == nil)
        let up = try #require(timeline.verdict(.online, on: 1, at: 56, recovered: 50))
        #expect(up.datedOutage?.start == 1_700_000_010 && up.datedOutage?.end == 1_700_000_050)
        #expect(timeline.outages.offline(.noInternet, at: Moment.at(99)) == .seconds(40))
        // Of the outage before: this one has ended with the verdict.
        _ = timeline.verdict(.noInternet, on: 1, evidence: 70, at: 71)
        _ = timeline.verdict(.online, on: 1, at: 80, recovered: 50)
        #expect(timeline.outages.offline(.noInternet, at: Moment.at(99)) == .seconds(50))
    }

    @Test func `the path's outage does not end before it is back, whatever another exporter has observed`() {
        // The second is the end of an outage before: this one has ended with the verdict.
        for (recovered, seconds) in [(20.0, 30.0), (5, 31)] {
            let timeline = Timeline()
            _ = timeline.up(1, at: 0)
            _ = timeline.verdict(.online, on: 1, at: 1)
            _ = timeline.down(2, at: 10, cause: .carrier)
            _ = timeline.up(3, at: 40)
            _ = timeline.verdict(.online, on: 3, at: 41, recovered: recovered)
            #expect(timeline.outages.offline(.link, at: Moment.at(99)) == .seconds(seconds))
        }
    }

    @Test func `what the host's exporter no longer knows is unknown, and an outage stands still`() throws {
        let timeline = Timeline()
        _ = timeline.up(1, at: 0)
        _ = timeline.verdict(.online, on: 1, at: 1)
        #expect(timeline.verdict(.unknown, on: 1, at: 2) == nil, "no exporter has said that it does not know")
        let unknown = try #require(timeline.verdict(.unknown, on: 1, at: 3, isUnknownToHost: true))
        #expect(unknown.isOnline == nil && unknown.outageHeldSince == nil)
        _ = timeline.verdict(.noInternet, .upstream, on: 1, evidence: 10, at: 12)
        let held = try #require(timeline.verdict(.unknown, on: 1, at: 40, isUnknownToHost: true))
        #expect(held.currentCause == .noInternet && held.outageHeldSince == Moment.at(40))
        #expect(timeline.outages.offline(.noInternet, at: Moment.at(99)) == .seconds(30))
    }
}
