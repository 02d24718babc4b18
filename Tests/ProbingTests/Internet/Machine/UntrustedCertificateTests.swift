import Posix
import Testing

@testable import Probing

/// Certificates that are not trusted, over time.
struct UntrustedCertificateTests {
    private static var denying: InternetConfiguration {
        var configuration = InternetConfiguration()
        configuration.untrustedTLS = .deny
        return configuration
    }

    @Test(arguments: [World.inspected, .halfInspected])
    func `The first round decides, and each later one also checks HTTPS`(world: World) {
        var run = MachineRun()
        run.world = world
        run.send(.pathChanged(.make()))
        run.advance(to: 600)
        let state: InternetState = world == .inspected ? .tlsUntrusted : .degraded
        #expect(run.states == [state])
        #expect(run.verdict?.isOnline == true && run.verdict?.cause == nil)
        #expect(run.verdict?.families == [.ipv4: state])
        #expect(run.rounds.count > 15 && run.rounds.allSatisfy { $0.plan.families[.ipv4]?.asksHTTPS == true })
        // Checked as rarely as a healthy internet.
        #expect(run.rounds.count < 25)
    }

    @Test func `Where they are denied, they are an outage with a cause of that name`() {
        var run = MachineRun(Self.denying)
        run.world = .inspected
        run.send(.pathChanged(.make()))
        run.advance(to: 1)
        #expect(run.states == [.tlsUntrusted])
        #expect(run.verdict?.isOnline == false && run.verdict?.cause == .tlsUntrusted)
    }

    @Test(arguments: [InternetConfiguration(), denying])
    func `Two rounds at least a second apart must agree on it, and on its end`(configuration: InternetConfiguration) {
        var run = MachineRun.online(configuration)
        run.world = .inspected
        run.send(.resumed)
        run.world = .good
        run.advance(by: 20)
        #expect(run.states == [.online, .tlsUntrusted, .online], "a suspend ends what was known")

        run = MachineRun.online(configuration)
        run.world = .inspected
        // Every tenth round checks HTTPS.
        run.advance(to: 400)
        #expect(run.states.last == .tlsUntrusted)
        let verdict = run.last?.at ?? 0
        let before = run.rounds.filter { $0.at < verdict && $0.plan.families[.ipv4]?.asksHTTPS == true }.suffix(2)
        #expect(before.count == 2)
        let gap = (before.last?.at ?? 0) - (before.first?.at ?? 0)
        #expect(gap >= 1 && gap < 1.2)
        run.world = .good
        run.advance(by: 90)
        #expect(run.state == .online)
    }

    @Test func `One round with a wrong certificate changes nothing`() {
        var run = MachineRun.online()
        run.world = .inspected
        run.send(.configured(Self.denying))
        run.advance(by: 0.2)
        run.world = .good
        run.advance(by: 300)
        #expect(run.states.allSatisfy { $0 == .online })
    }

    @Test func `A silent HTTPS host ends it only if two rounds find that`() {
        var run = MachineRun()
        run.world = .inspected
        run.send(.pathChanged(.make()))
        run.advance(to: 40)
        run.world = .dropsHTTPS
        let next = run.deadline ?? 0
        run.advance(to: next + 0.2)
        #expect(run.state == .tlsUntrusted)
        run.advance(by: 2)
        #expect(run.state == .online)
    }

    @Test func `A reload that denies or allows them takes effect, with the outage counted from then`() {
        var run = MachineRun()
        run.world = .inspected
        run.send(.pathChanged(.make()))
        run.advance(to: 100)
        run.send(.configured(Self.denying))
        run.advance(by: 10)
        #expect(run.verdict?.isOnline == false && run.verdict?.cause == .tlsUntrusted)
        #expect(run.verdict.map { Moment.seconds($0.evidenceAt) } == 100)
        run.send(.configured(InternetConfiguration()))
        run.advance(by: 10)
        #expect(run.verdict?.isOnline == true && run.verdict?.cause == nil)
        #expect(Set(run.states) == [.tlsUntrusted])
    }

    @Test func `Behind an inspecting proxy an outage ends with the state as it is`() {
        var run = MachineRun()
        run.world = .cut
        run.send(.pathChanged(.make()))
        run.advance(to: 100)
        #expect(run.state == .noInternet)
        run.world = .inspected
        run.advance(to: 300)
        #expect(Array(run.states.suffix(2)) == [.noInternet, .tlsUntrusted])
    }

    @Test func `Loss does not hide it`() {
        var run = MachineRun()
        run.world = .inspected
        run.send(.pathChanged(.make()))
        for _ in 0..<10 {
            run.send(.lossMeasured(0.2))
            run.advance(by: 10)
        }
        #expect(run.states == [.tlsUntrusted])
    }

    @Test func `Traffic of other programs does not delay the round that must agree`() {
        var run = MachineRun.online()
        run.passive = { .make($0, received: [.ipv4]) }
        run.advance(to: 100)
        run.world = .inspected
        run.send(.configured(Self.denying))
        run.advance(by: 5)
        #expect(run.state == .tlsUntrusted)
    }

    @Test func `Of two families the trusted one decides`() {
        for worlds in [[AddressFamily.ipv4: World.inspected], [.ipv6: .inspected]] {
            var run = MachineRun()
            run.worlds = worlds
            run.send(.pathChanged(.make(families: [.ipv4, .ipv6])))
            run.advance(to: 60)
            #expect(run.states.allSatisfy { $0 == .online })
            #expect(Set(run.verdict?.families.values.map(\.self) ?? []) == [.online, .tlsUntrusted])
        }
    }
}
