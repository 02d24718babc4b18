import NetworkHealth
import NetworkPath
import Statistics
import Testing

@testable import NetworkHealthExporter

struct FaultBoardTests {
    private let now = ContinuousClock.now

    private var linkDown: FaultEvidence { .linkDown(since: now) }

    @Test func `a fault begins and ends once, and its seconds count`() {
        var board = FaultBoard()
        #expect(board.update(FaultEvidence(), at: now).isEmpty)
        let change = board.update(linkDown, at: now + .seconds(1))
        #expect(change.began.map(\.pair) == [Fault.Pair(.link, .outage)] && change.ended.isEmpty)
        #expect(board.update(linkDown, at: now + .seconds(3)).isEmpty)
        board.settle(at: now + .seconds(7))
        #expect(board.seconds[Fault.Pair(.link, .outage)] == .seconds(6))
        #expect(board.seconds[Fault.Pair(.router, .outage)] == .zero)
        var online = FaultEvidence()
        online.isOnline = true
        #expect(board.update(online, at: now + .seconds(8)).ended.map(\.pair) == [Fault.Pair(.link, .outage)])
    }

    @Test func `a second outage within 30 s has its place at once, although its fault may not begin yet`() {
        var board = FaultBoard()
        _ = board.update(linkDown, at: now)
        var online = FaultEvidence()
        online.isOnline = true
        _ = board.update(online, at: now + .seconds(5))
        let second = FaultEvidence.linkDown(since: now + .seconds(10))
        #expect(board.update(second, at: now + .seconds(10)).isEmpty)
        #expect(second.outage.flatMap { board.place(of: $0) } == .link)
        // What is over is no place of another outage that begins at once.
        _ = board.update(online, at: now + .seconds(10.2))
        #expect(board.place(of: FaultEvidence.OngoingOutage(.noInternet, since: now + .seconds(10.5))) == nil)
    }

    @Test func `seconds that a scrape has counted do not count again`() {
        var board = FaultBoard()
        _ = board.update(linkDown, at: now)
        board.settle(at: now + .seconds(2))
        _ = board.update(linkDown, at: now + .seconds(1))
        board.settle(at: now + .seconds(3))
        #expect(board.seconds[Fault.Pair(.link, .outage)] == .seconds(3))
    }

    @Test func `time in which the machine slept, or this process did not run, is in no seconds of a fault`() {
        var board = FaultBoard()
        _ = board.update(linkDown, at: now)
        _ = board.update(linkDown, at: now + .seconds(4))
        // A scrape may come before the next decision.
        board.settle(at: now + .seconds(3600))
        _ = board.update(linkDown, at: now + .seconds(3601))
        #expect(board.seconds[Fault.Pair(.link, .outage)] == .seconds(4))
        // Nor is time in which nothing was decided, where it is scraped each five seconds.
        for later in stride(from: 3606, through: 3661, by: 5) { board.settle(at: now + .seconds(later)) }
        #expect(board.seconds[Fault.Pair(.link, .outage)] == .seconds(14))
    }

    @Test func `what the host has found takes the place of what a container cannot see, and the rest stays`() {
        var board = FaultBoard()
        var evidence = FaultEvidence()
        evidence.outage = FaultEvidence.OngoingOutage(.noInternet, since: now)
        evidence.isOnline = false
        evidence.path = Path(status: .satisfied)
        evidence.path?.viewpoint = .container
        _ = board.update(evidence, adopted: nil, at: now)
        _ = board.update(evidence, adopted: [], at: now + .seconds(20))
        #expect(board.faults.map(\.pair) == [Fault.Pair(.unknown, .outage)])
        let found = [Fault(.access, .outage, since: now, []), Fault(.dns, .latency, since: now, [])]
        let change = board.update(evidence, adopted: found, at: now + .seconds(21))
        #expect(board.faults == found)
        #expect(change.began.map(\.pair) == found.map(\.pair) && change.ended.map(\.location) == [.unknown])
        _ = board.update(linkDown, adopted: found, at: now + .seconds(22))
        #expect(board.faults.map(\.location) == [.link, .access, .dns])
    }

    @Test func `what the host has found is over once its exporter says so, and not when that falls silent`() {
        var board = FaultBoard()
        let evidence = FaultEvidence()
        let (access, loss) = (Fault(.access, .outage, since: now, []), Fault(.link, .loss, since: now, []))
        #expect(board.update(evidence, adopted: [loss, access], at: now).began.count == 2)
        #expect(board.update(evidence, at: now + .seconds(1)).isEmpty)
        #expect(board.faults.isEmpty && board.unheard == [loss, access])
        #expect(board.update(evidence, at: now + .seconds(2)).isEmpty)
        let heard = board.update(evidence, adopted: [access], at: now + .seconds(3))
        #expect(heard.began.isEmpty && heard.ended == [loss] && board.unheard.isEmpty)
        #expect(board.seconds[access.pair] == .seconds(1), "the time of the silence is not counted")
        #expect(board.update(evidence, at: now + .seconds(4)).isEmpty)
        #expect(board.update(evidence, adopted: [], at: now + .seconds(5)).ended == [access])
    }
}

extension FaultEvidence {
    static func linkDown(since: Instant) -> FaultEvidence {
        var evidence = FaultEvidence()
        evidence.path = Path(status: .unsatisfied, unsatisfiedReason: .linkDown)
        evidence.isOnline = false
        evidence.outage = OngoingOutage(.link, since: since)
        return evidence
    }
}
