import Testing

@testable import MicroHTTP

struct EvictionRankTests {
    private let start = ContinuousClock.now

    private func rank(
        _ phase: Deadlines.Phase,
        since: Duration = .zero,
        hasUnread: Bool = false,
        isAbandoned: Bool = false,
        stuckSince: Duration? = nil
    ) -> EvictionRank? {
        EvictionRank(
            phase: phase,
            since: start + since,
            hasUnread: hasUnread,
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
