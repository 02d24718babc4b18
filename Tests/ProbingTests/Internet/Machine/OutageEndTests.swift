import Posix
import Testing

@testable import Probing

/// What ends an outage before a round is due, and when it ended.
struct OutageEndTests {
    /// Offline since the first round at 0; the beacon answers from the repair on.
    private func offline(
        _ world: World = .cut,
        until repair: Double,
        isExpensive: Bool = false,
        nameservers: [String] = []
    ) -> MachineRun {
        var run = MachineRun()
        run.world = world
        run.beaconAnswers = { $0 >= repair }
        run.send(.pathChanged(.make(isExpensive: isExpensive, nameservers: nameservers)))
        run.advance(to: repair)
        run.world = .good
        return run
    }

    @Test(arguments: Array(stride(from: 5.05, to: 130, by: 1.7)))
    func `an outage ends within 2 s of the repair, and this is published within 3 s`(repair: Double) throws {
        var run = offline(until: repair)
        run.advance(by: 4)
        let published = try #require(run.published.first { $0.verdict.isOnline })
        #expect(published.at - repair <= 3, "\(published.at - repair)")
        let end = Moment.seconds(published.verdict.evidenceAt)
        #expect(repair...repair + 2 ~= end, "\(end - repair)")
        // The time of the outage stops with the evidence.
        let held = try #require(run.published.first { $0.verdict.isRecovering && $0.at >= repair } ?? run.last)
        #expect(held.at - end < 0.06)
    }

    @Test(arguments: Array(stride(from: 45.03, to: 75, by: 0.7)))
    func `so it is where a target answers between the two rounds`(repair: Double) throws {
        for delay in stride(from: 0.1, through: 2.9, by: 0.1) {
            var run = offline(until: repair)
            run.advance(by: delay)
            run.send(.sensed(.target("web"), isAlive: true))
            run.advance(by: 5)
            let published = try #require(run.published.first { $0.verdict.isOnline })
            #expect(published.at - repair <= 3, "\(published.at - repair) with a target after \(delay)")
        }
    }

    @Test func `a round whose packets were lost just before the repair is made anew`() throws {
        for lead in [0.01, 0.1, 0.19, 0.3, 1, 2.9] {
            var run = MachineRun()
            run.world = .cut
            run.send(.pathChanged(.make()))
            run.advance(to: 40)
            let roundAt = try #require(run.deadline)
            run.advance(to: roundAt + lead)
            let repair = run.now
            run.world = .good
            run.beaconAnswers = { $0 >= repair }
            run.send(.sensed(.target("web"), isAlive: true))
            run.advance(by: 5)
            let published = try #require(run.published.first { $0.verdict.isOnline })
            #expect(published.at - repair <= 1.2, "\(published.at - repair), \(lead) after the begin of a round")
        }
    }

    @Test func `while offline, one packet every 1.8 s to a literal address`() {
        let run = offline(until: 100)
        let times = run.pulses.map(\.at)
        #expect(zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - 1.8) < 0.01 })
        #expect(times.first.map { $0 - 4 < 0.1 } == true)
        #expect(run.pulses.allSatisfy { $0.pulse.beacon == IPAddress("1.1.1.1").map(Pulse.Beacon.literal) })
        #expect(MachineRun.online().pulses.isEmpty)
    }

    @Test func `while the router's hardware address is not known, the next one follows after 1.1 s`() {
        var run = offline(until: 10)
        let count = run.pulses.count
        run.world = .cut
        run.beaconAnswers = nil
        func next() -> Double {
            let (count, last) = (run.pulses.count, run.pulses.last?.at ?? 0)
            while run.pulses.count == count { run.advance(by: 0.01) }
            return run.pulses[count].at - last
        }
        #expect(count > 1 && abs(next() - 1.8) < 0.02)
        run.send(.sensed(.neighbour, isAlive: false))
        run.advance(by: 0.5)
        run.send(.sensed(.neighbour, isAlive: false))
        #expect(abs(next() - 1.1) < 0.02)
        // It is known again, as where the outage is behind it.
        #expect(abs(next() - 1.8) < 0.02)
    }

    @Test func `the families take turns`() {
        var run = MachineRun()
        run.world = .cut
        run.send(.pathChanged(.make(families: [.ipv4, .ipv6])))
        run.advance(to: 20)
        let families = run.pulses.compactMap { $0.pulse.literal?.family }
        #expect(families.count == run.pulses.count && zip(families, families.dropFirst()).allSatisfy { $0 != $1 })
    }

    @Test func `an expensive path carries no such packet`() {
        let run = offline(until: 30, isExpensive: true)
        #expect(run.pulses.count > 10 && run.pulses.allSatisfy { $0.pulse.beacon == nil && !$0.pulse.gateways.isEmpty })
    }

    @Test func `where names do not resolve, the name servers are asked in turn`() {
        let run = offline(.deadResolver, until: 30, nameservers: ["192.0.2.53", "192.0.2.54"])
        let servers = run.pulses.compactMap { $0.pulse.server?.description }
        #expect(Set(servers) == ["192.0.2.53", "192.0.2.54"])
        #expect(zip(servers, servers.dropFirst()).allSatisfy { $0 != $1 })
    }

    @Test(arguments: [
        RoundTriggers.Source.target("gateway"), .neighbour, .kernel, .nameServer, .beacon(.ipv4), .traffic(.ipv4),
    ])
    func `whatever answers again starts a round at once`(source: RoundTriggers.Source) {
        var run = MachineRun()
        run.world = .cut
        run.send(.pathChanged(.make()))
        run.advance(to: 25)
        run.send(.sensed(source, isAlive: false))
        #expect(!run.isRunning)
        run.world = .good
        run.send(.sensed(source, isAlive: true))
        #expect(run.isRunning && run.verdict?.isRecovering == true)
        run.advance(by: 0.1)
        #expect(run.state == .online)
        #expect(run.verdict.map { Moment.seconds($0.evidenceAt) } == 25)
    }

    @Test func `segments that other programs receive start a round, those from before the outage do not`() {
        var run = MachineRun.online()
        run.send(.observed(.make(20)))
        run.world = .cut
        run.advance(to: 60)
        #expect(run.state == .noInternet)
        let rounds = run.rounds.count
        run.send(.observed(.make(60, received: [.ipv4])))
        #expect(run.rounds.count == rounds)
        run.send(.observed(.make(61)))
        run.send(.observed(.make(62, received: [.ipv4])))
        #expect(run.rounds.count == rounds + 1)
    }

    @Test func `a router that answers while nothing behind it does is refuted by the round`() throws {
        var run = MachineRun()
        run.world = .routerGone
        run.send(.pathChanged(.make()))
        run.advance(to: 25)
        run.world = .cut
        run.send(.sensed(.target("gateway"), isAlive: true))
        run.advance(to: 29)
        #expect(run.verdict?.isRecovering == false && run.state == .noInternet)
        run.beaconAnswers = { $0 >= 40.5 }
        run.advance(to: 40.5)
        run.world = .good
        run.advance(to: 45)
        #expect(run.state == .online)
        #expect(try #require(run.verdict.map { Moment.seconds($0.evidenceAt) }) >= 40.5)
    }

    @Test(arguments: [true, false])
    func `behind a portal few rounds ask more than one server, and few packets are sent in vain`(isOpen: Bool) {
        var run = MachineRun()
        run.world = .portal
        run.beaconAnswers = { _ in isOpen }
        run.send(.pathChanged(.make()))
        run.advance(to: 3600)
        let plans = run.rounds.compactMap { $0.plan.families[.ipv4] }
        #expect(plans.count { $0.depth != .portal } <= 15, "\(plans.count { $0.depth != .portal }) of \(plans.count)")
        #expect(plans.filter { $0.depth == .portal }.allSatisfy { !$0.asksHTTPS })
        // An answer that proves nothing is not asked for.
        #expect(run.pulses.count { $0.pulse.beacon != nil } <= (isOpen ? 45 : 2000))
    }

    @Test func `a portal that redirects the first check for ever is found to be over by HTTPS`() {
        var run = MachineRun()
        run.world = .portal
        run.send(.pathChanged(.make()))
        run.advance(to: 3600)
        run.world = .halfPortal
        run.advance(by: 620)
        #expect(run.state == .online)
    }

    @Test func `where packets pass and nothing else does, their answers start few rounds, also at the end`() throws {
        var run = MachineRun()
        run.world = .portal
        run.beaconAnswers = { _ in true }
        run.send(.pathChanged(.make()))
        run.advance(to: 3600)
        #expect(Set(run.states) == [.captivePortal] && run.rounds.count <= 75)
        run.world = .good
        run.advance(by: 93)
        #expect(run.state == .online)
    }

    @Test func `a source that is wrong again and again starts few rounds`() {
        var run = MachineRun()
        run.world = .refusing
        run.send(.pathChanged(.make()))
        run.advance(to: 20)
        let rounds = run.rounds.count
        for second in stride(from: 20.0, to: 3620, by: 1) {
            run.advance(to: second)
            run.send(.sensed(.neighbour, isAlive: Int(second).isMultiple(of: 2)))
        }
        #expect(run.rounds.count - rounds <= 63 + 2 * 70)
        #expect(Set(run.states) == [.noInternet])
    }

    @Test func `news in each pulse do not put off the end of a round, nor make an outage shorter`() throws {
        var run = MachineRun()
        run.world = .cut
        run.send(.pathChanged(.make()))
        run.advance(to: 40)
        // Links of containers come and go.
        while run.now < 300 {
            run.advance(by: 1.8)
            run.send(.sensed(.kernel, isAlive: false))
            run.send(.sensed(.kernel, isAlive: true))
        }
        #expect(run.rounds.count <= 45, "\(run.rounds.count)")
        let first = try #require(run.published.first { $0.verdict.isRecovering })
        let refuted = try #require(run.published.first { $0.at > first.at && !$0.verdict.isRecovering })
        #expect(refuted.at - first.at <= 12)
        run.world = .good
        run.advance(by: 95)
        #expect(run.state == .online)
        #expect(try #require(run.verdict.map { Moment.seconds($0.evidenceAt) }) >= 300)
    }

    @Test func `a round whose lookups began before the repair is not evidence for broken names`() {
        var run = MachineRun()
        run.world = .cut
        run.send(.pathChanged(.make()))
        run.advance(to: 12)
        run.advance(to: (run.deadline ?? 0) - 0.01)
        // In the next round the literals answer after the repair, and the names that were asked before it do not.
        run.world = .deadResolver
        run.advance(by: 0.02)
        run.world = .good
        run.advance(by: 10)
        #expect(Set(run.states) == [.noInternet, .online] && run.state == .online)
    }

    @Test func `nor do such lookups confirm an outage that began otherwise`() {
        var run = MachineRun.online()
        run.world = .cut
        run.send(.failed("a", since: Moment.at(20), family: .ipv4))
        run.advance(by: 3.1)
        // The repair comes within the third failed round.
        run.world = .deadResolver
        run.advance(by: 2)
        run.world = .good
        run.advance(by: 20)
        #expect(Set(run.states) == [.online])
    }

    @Test func `after a change of the path broken names take two rounds, at the start one`() {
        var run = MachineRun.online()
        run.send(.pathChanged(.unsatisfied(2)))
        run.world = .deadResolver
        run.send(.pathChanged(.make(3)))
        let start = run.now
        run.advance(by: 3.2)
        #expect(run.state == .noPath)
        run.advance(by: 5)
        #expect(run.state == .dnsBroken)
        #expect(run.published.last.map { $0.at - start <= 8 } == true)
    }

    @Test func `another finding while offline is confirmed 1 s later, not after the pause`() {
        var run = MachineRun()
        run.world = .routerGone
        run.send(.pathChanged(.make()))
        run.advance(to: 55)
        run.world = .cut
        let roundAt = run.deadline ?? 0
        run.advance(to: roundAt + 3.1)
        #expect(run.verdict?.cause == .gateway)
        run.advance(to: roundAt + 7.1)
        #expect(run.verdict?.cause == .upstream)
    }
}

extension Pulse {
    fileprivate var literal: IPAddress? {
        guard case .literal(let address) = beacon else { return nil }
        return address
    }

    fileprivate var server: IPAddress? {
        guard case .query(_, let server) = beacon else { return nil }
        return server
    }
}
