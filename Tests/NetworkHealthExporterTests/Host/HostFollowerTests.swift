import NetworkHealth
import Probing
import Testing

@testable import NetworkHealthExporter

@Suite struct HostFollowerTests {
    private func snapshot(isOnline: Bool) -> SnapshotDocument {
        var document = SnapshotDocument(.online())
        document.online = isOnline
        document.internetState = (isOnline ? InternetState.online : .noInternet).rawValue
        return document
    }

    @Test func `after a stop the answer of the host decides, and not what it had reported before`() throws {
        let fixture = try CollectorFixture()
        let follower = try #require(fixture.follower)
        fixture.receive()
        // The fixture's own prober was attached after it.
        follower.lose()
        follower.take(snapshot(isOnline: false).json)
        #expect(fixture.health.current?.isOnline == false)
        // The stream says what it is now; an answer may be older than that.
        follower.take(snapshot(isOnline: true), nil)
        #expect(fixture.health.current?.isOnline == false)
        follower.askAgain()
        follower.take(nil, nil)
        #expect(fixture.health.current?.isOnline == false)
        follower.take(snapshot(isOnline: true), nil)
        #expect(fixture.health.current?.isOnline == true)
    }

    @Test func `a host that no longer knows whether it is online leaves its containers online for 15 s, and no longer`()
        throws
    {
        let fixture = try CollectorFixture()
        let follower = try #require(fixture.follower)
        fixture.receive()
        // The fixture's own prober was attached after it.
        follower.lose()
        follower.take(snapshot(isOnline: true).json)
        var unknown = snapshot(isOnline: true)
        (unknown.online, unknown.internetState) = (nil, nil)
        follower.take(unknown.json)
        follower.take(unknown, nil)
        #expect(fixture.health.current?.isOnline == true)
        follower.take(unknown, nil, at: .now + FollowedHost.longestDoubt)
        let state = try #require(fixture.health.current)
        #expect(state.isOnline == nil && state.internet?.isUnknownToHost == true)
        follower.take(snapshot(isOnline: true).json)
        #expect(fixture.health.current?.isOnline == true)
    }
}
