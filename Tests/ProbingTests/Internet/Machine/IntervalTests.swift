import Posix
import Testing

@testable import Probing

/// How often the internet is checked.
struct IntervalTests {
    private func gaps(_ run: MachineRun, after time: Double) -> [Double] {
        let times = run.rounds.map(\.at).filter { $0 >= time }
        // Without what a good round takes, in tenths.
        return zip(times, times.dropFirst()).map { (($1 - $0 - 0.03) * 10).rounded() / 10 }
    }

    @Test func `Online, every 30 s`() {
        var run = MachineRun.online()
        run.advance(to: 200)
        #expect(gaps(run, after: 5).prefix(4) == [30, 30, 30, 30])
    }

    @Test func `A round that takes long does not delay the next one`() {
        var run = MachineRun.online()
        run.world = .small
        run.advance(to: 400)
        // A finding is confirmed after 3 s.
        let gaps = gaps(run, after: 20)
        #expect(gaps.count > 8)
        #expect(gaps.allSatisfy { $0 == 30 || $0 == 3 }, "\(gaps)")
    }

    @Test func `Jitter takes off up to a fifth`() {
        var run = MachineRun.online()
        run.random = 1
        run.advance(to: 200)
        #expect(gaps(run, after: 40).allSatisfy { $0 == 24 })
    }

    @Test func `an expensive path every 5 min`() {
        var run = MachineRun()
        run.send(.pathChanged(.make(isExpensive: true)))
        run.advance(to: 1000)
        #expect(gaps(run, after: 5) == [300, 300, 300])
    }

    @Test func `a constrained path only when it changes`() {
        var run = MachineRun()
        run.send(.pathChanged(.make(isConstrained: true)))
        run.advance(to: 10_000)
        #expect(run.rounds.map(\.at) == [0, 5])
        #expect(run.deadline == nil)
        #expect(run.states == [.online])
    }

    @Test func `A constrained path that is offline is checked until it is online`() {
        var run = MachineRun()
        run.world = .refusing
        run.send(.pathChanged(.make(isConstrained: true)))
        run.advance(to: 100)
        run.world = .good
        run.advance(to: 300)
        #expect(run.state == .online)
    }

    @Test func `Offline, after 5 s and then doubled up to 90 s`() {
        var run = MachineRun()
        run.world = .refusing
        run.send(.pathChanged(.make()))
        run.advance(to: 300)
        #expect(gaps(run, after: 0) == [5, 10, 20, 40, 60, 60, 60])
    }

    @Test func `Captive, after 20 s and then times 1.5 up to 90 s`() {
        var run = MachineRun()
        run.world = .portal
        run.send(.pathChanged(.make()))
        run.advance(to: 1000)
        // The first of these is the second round of the new path; the sixth makes all checks, and takes 3 s.
        #expect(gaps(run, after: 5).prefix(6) == [30, 45, 67.5, 90, 90, 93])
    }

    @Test func `A new outage starts at 5 s again`() {
        var run = MachineRun()
        run.world = .refusing
        run.send(.pathChanged(.make()))
        run.advance(to: 300)
        run.world = .good
        run.advance(to: 500)
        run.world = .refusing
        run.advance(to: 600)
        let down = run.published.last?.at ?? 0
        #expect(run.state == .noInternet)
        #expect(gaps(run, after: down - 0.02).first == 5)
    }

    @Test func `HTTPS is checked in every tenth routine round of a family`() {
        var run = MachineRun.online()
        run.advance(to: 1000)
        let https = run.rounds.dropFirst().map { $0.plan.families[.ipv4]?.asksHTTPS ?? false }
        #expect(https.prefix(20).indices.filter { https[https.startIndex + $0] }.count == 2)
        #expect(https[9] && !https[8])
    }
}
