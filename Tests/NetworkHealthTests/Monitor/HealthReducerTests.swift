import Foundation
import NetworkHealth
import NetworkPath
import Statistics
import Testing

struct HealthReducerTests {
    private let up = Path.over(.wiredEthernet)
    private let down = Path(status: .unsatisfied, unsatisfiedReason: .linkDown)
    private let date = Date(timeIntervalSince1970: 1_700_000_000)

    @Test func `turns an update into the state, at the given time`() {
        var reducer = HealthReducer()
        #expect(reducer.statistics == nil)
        let state = reducer.apply(.made(up, evidence: 1, published: 2), at: Moment.at(3), date: date)
        #expect(state.path == up)
        #expect(state.timestamp == date)
        #expect(state.status == .connected)
        #expect(state.isOnline == true)
        #expect(state.quality == .good)
        #expect(state.qualitySource == .estimated)
        #expect(reducer.statistics?.outages.monitored(at: Moment.at(10)) == .seconds(7))
        #expect(reducer.statistics?.deliverDelay.sum == 1)
    }

    @Test func `counts an outage from its evidence to the moment of return`() throws {
        var reducer = HealthReducer()
        _ = reducer.apply(.made(up, evidence: 0, published: 0), at: Moment.at(0), date: date)
        let state = reducer.apply(
            .made(down, evidence: 10, published: 11, cause: .carrier),
            at: Moment.at(11),
            date: date
        )
        #expect(state.isOnline == false)
        #expect(state.quality == .offline)
        let during = try #require(reducer.statistics).outages
        #expect(during.count(.link) == 1)
        #expect(during.offline(.link, at: Moment.at(12)) == .seconds(2))
        _ = reducer.apply(.made(up, evidence: 14, published: 15), at: Moment.at(15), date: date)
        let after = try #require(reducer.statistics).outages
        #expect(after.ongoing == nil)
        #expect(after.offline(.link, at: Moment.at(99)) == .seconds(5))
    }

    @Test func `one change of reason during an outage is the same outage`() throws {
        var reducer = HealthReducer()
        _ = reducer.apply(.made(up, evidence: 0, published: 0), at: Moment.at(0), date: date)
        _ = reducer.apply(.made(down, evidence: 10, published: 11, cause: .carrier), at: Moment.at(11), date: date)
        let noRoute = Path(status: .unsatisfied, unsatisfiedReason: .noRoute)
        _ = reducer.apply(.made(noRoute, evidence: 12, published: 13, cause: .route), at: Moment.at(13), date: date)
        let outages = try #require(reducer.statistics).outages
        #expect(outages.count(.link) == 1)
        #expect(outages.count(.route) == 0)
    }

    @Test(arguments: [
        (DownCause?.some(.carrier), OutageCause.link), (.administrative, .link), (.gone, .link), (.route, .route),
        (nil, .route),
    ])
    func `attributes an outage to the link or to the route`(cause: DownCause?, expected: OutageCause) throws {
        var reducer = HealthReducer()
        _ = reducer.apply(.made(down, evidence: 1, published: 1, cause: cause), at: Moment.at(1), date: date)
        let outages = try #require(reducer.statistics).outages
        #expect(outages.ongoing?.cause == expected)
        #expect(outages.count(expected) == 1)
    }

    @Test(arguments: [true, false])
    func `a path that has not settled after the start is neither online nor an outage`(isProbed: Bool) throws {
        var reducer = HealthReducer(expectsVerdict: isProbed)
        let connecting = Path(status: .requiresConnection, unsatisfiedReason: .connecting)
        let starting = reducer.apply(
            .made(connecting, evidence: 0, published: 0, cause: .carrier, isSettling: true),
            at: Moment.at(0),
            date: date
        )
        #expect(starting.isOnline == nil && starting.isSettling && !starting.status.isConnected)
        #expect(HealthReason(starting) == .starting)
        #expect(reducer.statistics?.outages.latest == nil)
        let settled = reducer.apply(.made(up, 2, evidence: 1, published: 1), at: Moment.at(1), date: date)
        #expect(settled.isOnline == (isProbed ? nil : true) && !settled.isSettling)
        #expect(reducer.statistics?.outages.latest == nil)
    }

    @Test func `a path that does not settle is an outage from the start on`() throws {
        var reducer = HealthReducer()
        let connecting = Path(status: .requiresConnection, unsatisfiedReason: .connecting)
        _ = reducer.apply(
            .made(connecting, evidence: 0, published: 0, cause: .carrier, isSettling: true),
            at: Moment.at(0),
            date: date
        )
        let state = reducer.apply(
            .made(down, 2, evidence: 0, published: 2, cause: .carrier),
            at: Moment.at(2),
            date: date
        )
        #expect(state.isOnline == false && !state.isSettling)
        let outages = try #require(reducer.statistics).outages
        #expect(outages.count(.link) == 1)
        #expect(outages.offline(.link, at: Moment.at(3)) == .seconds(3))
    }

    @Test func `the first state is no transition, a later change of status is one`() throws {
        var reducer = HealthReducer()
        _ = reducer.apply(.made(up, evidence: 0, published: 0), at: Moment.at(0), date: date)
        #expect(try #require(reducer.statistics).lastTransition == nil)
        var expensive = up
        expensive.isExpensive = true
        _ = reducer.apply(.made(expensive, evidence: 1, published: 1), at: Moment.at(1), date: date + 1)
        #expect(try #require(reducer.statistics).lastTransition == nil)
        _ = reducer.apply(.made(down, evidence: 2, published: 2), at: Moment.at(2), date: date + 2)
        #expect(try #require(reducer.statistics).lastTransition == date + 2)
    }
}
