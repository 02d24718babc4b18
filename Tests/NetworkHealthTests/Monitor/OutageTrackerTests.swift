import NetworkHealth
import NetworkPath
import Statistics
import Testing

struct OutageTrackerTests {
    @Test func `counts an outage once, with the cause known when it was confirmed`() {
        var tracker = OutageTracker(startedAt: Moment.at(0))
        tracker.began(.link, since: Moment.at(10))
        tracker.began(.route, since: Moment.at(11))
        #expect(tracker.count(.link) == 1)
        #expect(tracker.count(.route) == 0)
        #expect(tracker.ongoing?.cause == .link)
        #expect(tracker.ongoing?.since == Moment.at(10))
        tracker.finished(at: Moment.at(15))
        #expect(tracker.offline(.link, at: Moment.at(99)) == .seconds(5))
        #expect(tracker.offline(.route, at: Moment.at(99)) == .zero)
    }

    @Test func `dates an outage back to its evidence, but not before the start`() {
        var tracker = OutageTracker(startedAt: Moment.at(100))
        tracker.began(.route, since: Moment.at(90))
        #expect(tracker.offline(.route, at: Moment.at(103)) == .seconds(3))
        tracker.finished(at: Moment.at(104))
        tracker.began(.route, since: Moment.at(110))
        tracker.finished(at: Moment.at(112))
        #expect(tracker.offline(.route, at: Moment.at(112)) == .seconds(6))
        #expect(tracker.count(.route) == 2)
    }

    @Test func `dates no outage back into the one before`() {
        var tracker = OutageTracker(startedAt: Moment.at(0))
        tracker.began(.link, since: Moment.at(10))
        tracker.finished(at: Moment.at(20))
        tracker.began(.dnsBroken, since: Moment.at(18))
        tracker.finished(at: Moment.at(25))
        #expect(tracker.offline(.link, at: Moment.at(99)) == .seconds(10))
        #expect(tracker.offline(.dnsBroken, at: Moment.at(99)) == .seconds(5))
    }

    @Test func `ends with evidence that came elsewhere, unless that is of an outage before, or of later`() {
        for (evidence, seconds) in [(16.0, 6.0), (9, 10), (10, 10), (99, 10)] {
            var tracker = OutageTracker(startedAt: Moment.at(0))
            tracker.began(.noInternet, since: Moment.at(10))
            tracker.finished(at: Moment.at(20), evidence: Moment.at(evidence))
            #expect(tracker.offline(.noInternet, at: Moment.at(99)) == .seconds(seconds), "\(evidence)")
        }
        var held = OutageTracker(startedAt: Moment.at(0))
        held.began(.noInternet, since: Moment.at(10))
        held.held(at: Moment.at(12))
        held.finished(at: Moment.at(20), evidence: Moment.at(16))
        #expect(held.offline(.noInternet, at: Moment.at(99)) == .seconds(2))
    }

    @Test func `the seconds grow while it lasts and never shrink`() {
        var tracker = OutageTracker(startedAt: Moment.at(0))
        tracker.began(.link, since: Moment.at(10))
        var last = Duration.zero
        for second in stride(from: 10.0, through: 20, by: 0.5) {
            let offline = tracker.offline(.link, at: Moment.at(second))
            #expect(offline == .seconds(second - 10))
            #expect(offline >= last)
            last = offline
        }
        tracker.finished(at: Moment.at(20))
        #expect(tracker.offline(.link, at: Moment.at(20)) == last)
        #expect(tracker.offline(.link, at: Moment.at(1000)) == last)
    }

    @Test func `a clock that reads earlier than the evidence takes nothing away`() {
        var tracker = OutageTracker(startedAt: Moment.at(0))
        tracker.began(.link, since: Moment.at(10))
        #expect(tracker.offline(.link, at: Moment.at(9)) == .zero)
        tracker.finished(at: Moment.at(9))
        #expect(tracker.offline(.link, at: Moment.at(50)) == .zero)
        #expect(tracker.durations.sum == 0)
        #expect(tracker.monitored(at: Moment.at(-1)) == .zero)
    }

    @Test func `enters the histogram at the end of an outage, not before`() {
        var tracker = OutageTracker(startedAt: Moment.at(0))
        tracker.began(.link, since: Moment.at(10))
        #expect(tracker.durations.counts.allSatisfy { $0 == 0 })
        tracker.finished(at: Moment.at(11))
        tracker.began(.link, since: Moment.at(20))
        tracker.finished(at: Moment.at(40))
        tracker.began(.route, since: Moment.at(100))
        tracker.finished(at: Moment.at(100 + 86_401))
        #expect(tracker.durations.bounds == [1, 5, 15, 30, 60, 300, 900, 3600, 14_400, 86_400])
        #expect(tracker.durations.counts == [1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1])
        #expect(tracker.durations.sum == 1 + 20 + 86_401)
    }

    @Test func `an end without a beginning changes nothing`() {
        var tracker = OutageTracker(startedAt: Moment.at(0))
        tracker.finished(at: Moment.at(5))
        #expect(OutageCause.allCases.allSatisfy { tracker.count($0) == 0 })
        #expect(tracker.durations.counts.allSatisfy { $0 == 0 })
        #expect(tracker.monitored(at: Moment.at(5)) == .seconds(5))
    }

    @Test func `an outage ends with the first evidence of that, from which on its seconds stand still`() {
        var tracker = OutageTracker(startedAt: Moment.at(0))
        tracker.held(at: Moment.at(5))
        tracker.began(.gateway, since: Moment.at(10))
        tracker.held(at: Moment.at(40))
        tracker.held(at: Moment.at(41))
        #expect(tracker.offline(.gateway, at: Moment.at(42)) == .seconds(30))
        tracker.finished(at: Moment.at(42))
        #expect(tracker.offline(.gateway, at: Moment.at(99)) == .seconds(30))
        #expect(tracker.latest?.end == Moment.at(40) && tracker.durations.sum == 30)
        // The next one may begin between that and its confirmation.
        tracker.began(.gateway, since: Moment.at(41))
        #expect(tracker.offline(.gateway, at: Moment.at(43)) == .seconds(32))
    }

    @Test func `evidence of the end that is refuted takes nothing away`() {
        var tracker = OutageTracker(startedAt: Moment.at(0))
        tracker.began(.gateway, since: Moment.at(10))
        tracker.held(at: Moment.at(20))
        #expect(tracker.offline(.gateway, at: Moment.at(23)) == .seconds(10))
        tracker.began(.noInternet, since: Moment.at(10))
        #expect(tracker.offline(.gateway, at: Moment.at(23)) == .seconds(13))
        tracker.finished(at: Moment.at(30))
        #expect(tracker.offline(.gateway, at: Moment.at(99)) == .seconds(20))
    }
}
