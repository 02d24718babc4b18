import Testing

@testable import NetworkPath

struct RoutesPauseTests {
    @Test func `a large routing table is walked for a twentieth of the time`() {
        #expect(NetlinkState.routesPause(after: .milliseconds(1)) == .milliseconds(20))
        #expect(NetlinkState.routesPause(after: .seconds(2)) == .seconds(40))
    }

    @Test func `a walk during which the process was stopped for an hour keeps the routes a minute, not a day`() {
        #expect(NetlinkState.routesPause(after: .seconds(3600)) == .seconds(60))
    }
}
