import Testing

@testable import MicroHTTP

struct EvictionRankTests {
    private let start = ContinuousClock.now

    private func rank(
        _ phase: Deadlines.Phase,
        since: Duration = .zero,
        hasUnread: Bool = false,
        lastUnread: Duration? = nil,
        grace: Duration = .zero,
        isAbandoned: Bool = false,
        stuckSince: Duration? = nil
    ) -> EvictionRank? {
        EvictionRank(
            phase: phase,
            since: start + since,
            hasUnread: hasUnread,
            lastUnread: lastUnread.map { start + $0 },
            grace: grace,
            isAbandoned: isAbandoned,
            stuckSince: stuckSince.map { start + $0 },
            now: start + .seconds(60)
        )
    }

    @Test
    func
        `an incomplete request goes first, then a stuck answer, an idle connection, one that is held, an unread answer`()
        throws
    {
        let ranks = [
            try #require(rank(.firstHeaders, since: .seconds(10))), try #require(rank(.body, since: .seconds(50))),
            try #require(rank(.answering, stuckSince: .seconds(40))),
            try #require(rank(.sending(.seconds(60)), stuckSince: .seconds(55))),
            try #require(rank(.nextHeaders, since: .seconds(1))), try #require(rank(.nextHeaders, since: .seconds(2))),
            try #require(rank(.held, since: .seconds(1))), try #require(rank(.held, since: .seconds(2))),
            try #require(rank(.answering, stuckSince: .milliseconds(55_001))),
            try #require(rank(.sending(.seconds(60)), stuckSince: .seconds(59))),
        ]
        let kinds: [EvictionRank.Kind] = [.incompleteRequest, .stuckAnswer, .idle, .held, .unreadAnswer]
        #expect(ranks.map(\.kind) == kinds.flatMap { [$0, $0] })
        #expect(ranks == ranks.sorted())
    }

    @Test func `an answer whose client has gone goes before all others`() throws {
        for phase in [Deadlines.Phase.answering, .held, .sending(.seconds(60))] {
            let abandoned = try #require(rank(phase, since: .seconds(50), isAbandoned: true))
            #expect(try abandoned < #require(rank(.firstHeaders)))
            #expect(phase == .held || rank(phase) == nil)
        }
    }

    @Test func `a refused request whose answer was sent goes before all that are not abandoned, after a moment`() throws
    {
        let refused = try #require(rank(.refused(.seconds(1)), since: .milliseconds(59_950), grace: .milliseconds(50)))
        #expect(refused.kind == .refused)
        #expect(try refused < #require(rank(.firstHeaders)))
        #expect(try #require(rank(.held, isAbandoned: true)) < refused)
        #expect(rank(.refused(.seconds(1)), since: .milliseconds(59_951), grace: .milliseconds(50))?.kind == .recent)
    }

    @Test func `a request whose bytes the server has not read goes last`() throws {
        let unread = try #require(rank(.answering, stuckSince: .milliseconds(55_001)))
        for phase in [Deadlines.Phase.firstHeaders, .body, .nextHeaders] {
            let behind = try #require(rank(phase, hasUnread: true))
            #expect(unread < behind)
            #expect(try #require(rank(phase)) < unread)
        }
        // One that pipelines requests and takes no answer.
        #expect(rank(.answering, hasUnread: true, stuckSince: .zero)?.kind == .stuckAnswer)
    }

    @Test func `a request that arrives is spared for a moment, and twenty of them in all while the server is behind`() {
        func kind(_ phase: Deadlines.Phase, age: Int, hasUnread: Bool = false, unreadBefore: Int? = nil) -> EvictionRank
            .Kind?
        {
            rank(
                phase,
                since: .milliseconds(60_000 - age),
                hasUnread: hasUnread,
                lastUnread: unreadBefore.map { .milliseconds(60_000 - $0) },
                grace: .milliseconds(50)
            )?.kind
        }
        #expect(kind(.firstHeaders, age: 49) == .recent)
        #expect(kind(.firstHeaders, age: 50) == .incompleteRequest)
        #expect(kind(.firstHeaders, age: 999, unreadBefore: 49) == .recent)
        #expect(kind(.firstHeaders, age: 999, unreadBefore: 50) == .incompleteRequest)
        #expect(kind(.firstHeaders, age: 1000, unreadBefore: 0) == .incompleteRequest)
        for phase in [Deadlines.Phase.firstHeaders, .body, .nextHeaders] {
            #expect(kind(phase, age: 999, hasUnread: true) == .recent)
            #expect(kind(phase, age: 1000, hasUnread: true) == .unreadRequest)
        }
        #expect(kind(.body, age: 0) == .incompleteRequest)
        #expect(kind(.nextHeaders, age: 0) == .idle)
        for phase in [Deadlines.Phase.answering, .sending(.seconds(60))] {
            #expect(kind(phase, age: 49) == .recent)
            #expect(kind(phase, age: 50) == nil)
        }
        #expect(EvictionRank.Kind.unreadRequest.rawValue < EvictionRank.Kind.recent.rawValue)
    }

    @Test func `spares an answer that makes progress, and a body for a sink until it has made none for 5 s`() {
        #expect(rank(.answering) == nil)
        #expect(rank(.sending(.seconds(60))) == nil)
        #expect(rank(.sending(.seconds(60)), stuckSince: .seconds(60)) == nil)
        #expect(rank(.receiving(.seconds(60))) == nil)
        #expect(rank(.receiving(.seconds(60)), stuckSince: .milliseconds(55_001)) == nil)
        #expect(rank(.receiving(.seconds(60)), stuckSince: .seconds(55)) != nil)
        #expect(rank(.upgraded, stuckSince: .zero) == nil)
    }

    @Test func `progress is any byte in either direction, while the client owes something`() {
        var progress = Progress()
        progress.note(10, isWaiting: true, now: start)
        #expect(progress.stuckSince == start)
        progress.note(10, isWaiting: true, now: start + .seconds(3))
        #expect(progress.stuckSince == start)
        progress.note(11, isWaiting: true, now: start + .seconds(4))
        #expect(progress.stuckSince == start + .seconds(4))
        progress.note(11, isWaiting: false, now: start + .seconds(5))
        #expect(progress.stuckSince == nil)
        // It waits again, for the same bytes: from here on.
        progress.note(11, isWaiting: true, now: start + .seconds(6))
        #expect(progress.stuckSince == start + .seconds(6))
    }
}
