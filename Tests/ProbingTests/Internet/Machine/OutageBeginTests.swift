import Posix
import Testing

@testable import Probing

/// What begins an outage before a round is due.
struct OutageBeginTests {
    /// A target's probe fails after its timeout.
    private func fail(_ run: inout MachineRun, sentAt: Double, name: String = "a", family: AddressFamily? = .ipv4) {
        run.send(.failed(name, since: Moment.at(sentAt), family: family))
    }

    @Test(arguments: [World.cut, .routerGone, .deadResolver, .portal])
    func `a target that fails starts a round at once, and the outage begins with its probe`(world: World) throws {
        var run = MachineRun.online()
        run.world = world
        let rounds = run.rounds.count
        run.advance(to: 22)
        fail(&run, sentAt: 20)
        #expect(run.rounds.count == rounds + 1 && run.verdict?.isSuspect == true)
        run.advance(to: 31.9)
        let published = try #require(run.published.first { !$0.verdict.isOnline })
        #expect(published.at - 20 <= 12)
        #expect(Moment.seconds(published.verdict.evidenceAt) == 20)
    }

    @Test func `one failed target and two failed rounds make an outage`() {
        var run = MachineRun.online()
        run.world = .cut
        run.advance(to: 22)
        fail(&run, sentAt: 20)
        run.advance(to: 24)
        #expect(run.state == .online)
        run.advance(to: 30)
        #expect(run.state == .noInternet && run.verdict?.cause == .upstream)
    }

    @Test func `a target that fails alone changes nothing`() {
        var run = MachineRun.online()
        run.advance(to: 22)
        fail(&run, sentAt: 20)
        run.advance(to: 60)
        #expect(Set(run.states) == [.online] && run.verdict?.isSuspect == false)
        // The failure that the good round refuted is not evidence for a later outage.
        run.world = .cut
        let roundAt = run.deadline
        run.advance(to: 120)
        #expect(run.verdict.map { Moment.seconds($0.evidenceAt) } == roundAt)
    }

    @Test func `a failure that began before the last good round is no news`() {
        var run = MachineRun.online()
        run.advance(to: 36)
        let rounds = run.rounds.count
        fail(&run, sentAt: 34)
        #expect(run.rounds.count == rounds)
    }

    @Test func `the earliest of several failures dates the outage`() {
        var run = MachineRun.online()
        run.world = .cut
        run.advance(to: 24)
        fail(&run, sentAt: 22)
        fail(&run, sentAt: 21, name: "b")
        run.advance(to: 40)
        #expect(run.verdict.map { Moment.seconds($0.evidenceAt) } == 21)
    }

    @Test func `a family that is offline in another way than before does not defer the begin`() {
        var run = MachineRun()
        run.worlds = [.ipv6: .portal]
        run.send(.pathChanged(.make(families: [.ipv4, .ipv6])))
        run.advance(to: 100)
        #expect(run.verdict?.isOnline == true && run.verdict?.families[.ipv6] == .captivePortal)
        run.worlds = [.ipv4: .cut, .ipv6: .cut]
        fail(&run, sentAt: 98.5)
        run.advance(to: 130)
        #expect(run.state == .noInternet && run.verdict.map { Moment.seconds($0.evidenceAt) } == 98.5)
    }

    @Test func `a target that loses packets starts few rounds`() {
        var run = MachineRun.online()
        let rounds = run.rounds.count
        for second in stride(from: 20.0, to: 3620, by: 2) {
            run.advance(to: second + 1)
            fail(&run, sentAt: second)
        }
        // 120 in an hour are due anyway.
        #expect(run.rounds.count - rounds <= 120 + 40)
        #expect(Set(run.states) == [.online])
    }

    @Test func `a connection of another program that sends again and again starts a round, and dates the outage`() {
        var run = MachineRun.online()
        run.world = .cut
        run.advance(to: 23)
        var report = PassiveReport.make(23)
        report.failingSince[.ipv4] = Moment.at(21.5)
        run.send(.observed(report))
        #expect(run.isRunning)
        run.advance(to: 33)
        #expect(run.state == .noInternet)
        #expect(run.verdict.map { Moment.seconds($0.evidenceAt) } == 21.5)
    }

    @Test func `an outage is shown within 12 s of its first failed round, whatever the rounds find`() throws {
        let silences: [World] = [.cut, .routerGone, .cutWithNames, .cutWithinRound]
        var courses = silences.flatMap { first in silences.flatMap { second in silences.map { [first, second, $0] } } }
        courses += [[.deadResolver, .deadResolver, .deadResolver], [.portal, .portal, .portal]]
        for course in courses {
            var run = MachineRun.online()
            let begin = try #require(run.deadline)
            run.advance(to: begin - 0.001)
            for world in course {
                run.world = world
                let count = run.rounds.count
                while run.rounds.count == count { run.advance(by: 0.05) }
            }
            run.advance(by: 20)
            let shown = try #require(run.published.first { !$0.verdict.isOnline })
            // Half a second is for what a busy machine adds.
            #expect(shown.at - begin <= 11.5, "\(shown.at - begin): \(course)")
        }
    }
}
