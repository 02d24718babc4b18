import Foundation
import NetworkHealth
import NetworkPath
import Testing

struct DatedOutageTests {
    private static let date = Date(timeIntervalSince1970: 1_700_000_000.123_456)

    @Test func `starts with its evidence, and has no end while it lasts`() {
        let outage = DatedOutage(Outage(.link, since: Moment.at(10)), at: Moment.at(14.5), date: Self.date)
        #expect(outage.cause == .link)
        #expect(outage.start == 1_699_999_995.623)
        #expect(outage.end == nil)
    }

    @Test func `evidence from the future is from now`() {
        let outage = DatedOutage(Outage(.link, since: Moment.at(10)), at: Moment.at(9), date: Self.date)
        #expect(outage.start == 1_700_000_000.123)
    }

    @Test func `its length is that of the clock without suspend, also after a clock that was set`() {
        // Four hours went by on the wall clock, 30 seconds of which the host was awake.
        let outage = Outage(.gateway, since: Moment.at(10), length: .seconds(30))
        let dated = DatedOutage(outage, at: Moment.at(40), date: Self.date.addingTimeInterval(14_400))
        #expect(dated.end == 1_700_014_400.123)
        #expect(dated.start == 1_700_014_370.123)
    }

    @Test func `ends by the clock of its end where that was set back meanwhile, in its transition, too`() throws {
        var reducer = HealthReducer()
        func apply(_ update: PathUpdate, at second: Double, clock: Double) -> HealthState {
            reducer.apply(update, at: Moment.at(second), date: Self.date.addingTimeInterval(clock))
        }
        _ = apply(.made(.over(.wifi), evidence: 0, published: 0), at: 0, clock: 0)
        let lost = Path(status: .unsatisfied, unsatisfiedReason: .linkDown)
        let before = apply(.made(lost, 2, evidence: 10, published: 10, cause: .carrier), at: 10, clock: 10)
        let after = apply(.made(.over(.wifi), 3, evidence: 40, published: 40), at: 40, clock: 40 - 3600)
        let transition = try #require(Transition(from: before, to: after))
        #expect(transition.at == 1_699_996_440.123 && transition.outageSeconds == 30)
        #expect(DatedOutage(transition) == reducer.statistics?.lastOutage)
    }

    @Test func `ends with the first evidence of that, not with its confirmation`() {
        let outage = Outage(.gateway, since: Moment.at(10), length: .seconds(30))
        let dated = DatedOutage(outage, at: Moment.at(41.5), date: Self.date)
        #expect(dated.end == 1_699_999_998.623 && dated.start == 1_699_999_968.623)
    }

    @Test func `its transition gives the same times`() throws {
        var transition = Transition(
            at: 1_700_000_000.123,
            online: true,
            status: "connected",
            connectionType: "wifi",
            quality: "good"
        )
        #expect(DatedOutage(transition) == nil)
        transition.outageCause = "gateway"
        #expect(DatedOutage(transition) == nil, "it lasts")
        transition.outageSeconds = 42.123
        var outage = Outage(.gateway, since: Moment.at(0), length: .microseconds(42_123_456))
        #expect(DatedOutage(transition)?.location == .unknown)
        (transition.outageLocation, outage.location) = ("router", .router)
        let dated = try #require(DatedOutage(transition))
        #expect(dated == DatedOutage(outage, at: Moment.at(42.123_456), date: Self.date))
        transition.outageCause = "another word"
        #expect(DatedOutage(transition) == nil)
    }
}
