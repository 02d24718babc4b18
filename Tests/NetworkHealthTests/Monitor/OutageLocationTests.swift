import Foundation
import NetworkHealth
import NetworkPath
import Probing
import Testing

struct OutageLocationTests {
    @Test func `an outage has the place that was found last while it lasted, which is no transition`() throws {
        let timeline = Timeline()
        _ = timeline.up(1, at: 0)
        #expect(timeline.located(.link, begin: 0, at: 0.5) == nil, "there is no outage")
        _ = timeline.verdict(.online, on: 1, at: 1)
        let lost = try #require(timeline.verdict(.noInternet, .upstream, on: 1, evidence: 10, at: 14))
        #expect(lost.outage?.location == .unknown && timeline.lastOutage?.location == .unknown)
        let start = timeline.lastOutage?.start
        #expect(timeline.located(.link, begin: 9, at: 15) == nil, "it is another outage")
        let placed = try #require(timeline.located(.access, begin: 10, at: 20))
        #expect(placed.outage?.location == .access && placed.timestamp == timeline.date(20))
        #expect(placed.onlineSince == lost.onlineSince && Transition(from: lost, to: placed) == nil)
        #expect(timeline.lastOutage?.location == .access && timeline.lastOutage?.start == start)
        #expect(timeline.located(.access, begin: 10, at: 21) == nil, "it is known")
        _ = timeline.located(.provider, begin: 10, at: 25)
        let before = try #require(timeline.reducer.state)
        let online = try #require(timeline.verdict(.online, on: 1, at: 30))
        #expect(Transition(from: before, to: online)?.outageLocation == "provider")
        #expect(timeline.lastOutage?.location == .provider && timeline.lastOutage?.end != nil)
        #expect(timeline.located(.access, begin: 10, at: 31) == nil, "it has ended")
        let next = try #require(timeline.verdict(.noInternet, .upstream, on: 1, evidence: 40, at: 44))
        #expect(next.outage?.location == .unknown)
    }
}
