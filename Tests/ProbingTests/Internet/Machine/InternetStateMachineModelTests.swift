import Lab
import Posix
import Testing

@testable import Probing

/// Random events at random times against what must hold for any of them.
struct InternetStateMachineModelTests {
    @Test(arguments: 0..<100)
    func `After any events there is always a next step, and each verdict differs from the last`(seed: UInt64) {
        var random = SplitMix64(state: seed)
        var configuration = InternetConfiguration()
        configuration.untrustedTLS = seed.isMultiple(of: 2) ? .allow : .deny
        var run = MachineRun(configuration)
        var generation: UInt64 = 0
        var (isSatisfied, isConstrained) = (false, false)
        for _ in 0..<150 {
            run.world =
                [World.good, .good, .cut, .refusing, .portal, .deadResolver, .inspected, .halfInspected].randomElement(
                    using: &random
                )
                ?? .good
            run.worlds = Bool.random(using: &random) ? [.ipv6: .routerGone] : [:]
            run.random = Double.random(in: 0...1, using: &random)
            run.isHeldCaptive = [true, false, nil, nil].randomElement(using: &random) ?? nil
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                generation += 1
                isSatisfied = false
                run.send(.pathChanged(.unsatisfied(generation)))
            case 1, 2:
                generation += 1
                isSatisfied = true
                isConstrained = Int.random(in: 0..<4, using: &random) == 0
                let families: Set<AddressFamily> =
                    [[.ipv4], [.ipv6], [.ipv4, .ipv6]].randomElement(using: &random) ?? []
                let portal = Bool.random(using: &random) ? "https://portal.example" : nil
                run.send(
                    .pathChanged(
                        .make(generation, families: families, isConstrained: isConstrained, portal: portal)
                    )
                )
            case 3: run.send(.resumed)
            case 4: run.send(.observed(.make(run.now, received: [.ipv4], retransmitted: 0.3)))
            case 5: run.send(.observed(.make(run.now, stalled: [.ipv4, .ipv6])))
            case 6: run.send(.lossMeasured(Double.random(in: 0...0.2, using: &random)))
            case 7, 8:
                run.send(.reported(.family(.ipv4, FamilyEvidence()), round: UInt64.random(in: 0...3, using: &random)))
            case 9: run.send(.timerFired)
            default: break
            }
            #expect(run.isRunning || run.deadline != nil || !isSatisfied || isConstrained)
            #expect(!isSatisfied || run.deadline.map { $0 >= run.now - 60 } ?? true)
            #expect(isSatisfied || run.deadline == nil && !run.isRunning)
            run.advance(by: Double.random(in: 0...40, using: &random))
        }
        for (old, new) in zip(run.published, run.published.dropFirst()) {
            #expect(old.verdict != new.verdict)
            #expect(old.verdict.generation <= new.verdict.generation)
        }
        for published in run.published {
            let (verdict, evidence) = (published.verdict, Moment.seconds(published.verdict.evidenceAt))
            #expect(evidence <= published.at + 1e-5)
            #expect(!verdict.isSuspect || verdict.isOnline)
            #expect(
                verdict.isOnline == verdict.families.values.contains { $0.isOnline(cause: verdict.cause) }
            )
            #expect((verdict.cause == nil) == (verdict.isOnline || verdict.state == .noPath))
        }
        #expect(zip(run.rounds, run.rounds.dropFirst()).allSatisfy { $0.plan.id < $1.plan.id })
        #expect(run.rounds.allSatisfy { !$0.plan.families.isEmpty })
    }

    @Test(arguments: 0..<50)
    func `In the end the verdict is the true state`(seed: UInt64) {
        var random = SplitMix64(state: seed)
        var run = MachineRun.online(families: [.ipv4, .ipv6])
        for _ in 0..<30 {
            let (world, state): (World, InternetState) =
                [
                    (.good, .online), (.cut, .noInternet), (.portal, .captivePortal), (.deadResolver, .dnsBroken),
                    (.inspected, .tlsUntrusted), (.halfInspected, .degraded),
                ]
                .randomElement(using: &random) ?? (.good, .online)
            run.world = world
            // A routine round checks certificates each 300 s.
            let least = state == .tlsUntrusted || state == .degraded ? 330.0 : 150
            run.advance(by: Double.random(in: least...600, using: &random))
            #expect(run.state == state)
        }
    }
}
