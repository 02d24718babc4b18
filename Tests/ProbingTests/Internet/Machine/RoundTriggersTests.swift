import Posix
import Testing

@testable import Probing

struct RoundTriggersTests {
    @Test func `news in a round that goes on to its end is not judged by it, and is news again after it`() {
        var triggers = RoundTriggers()
        let now = RoundTriggers.Instant.now
        for _ in 0..<RoundTriggers.mostRestarts {
            triggers.believe(.kernel)
            let mayRestart = triggers.mayRestart(by: .kernel)
            #expect(mayRestart)
        }
        // The round began after this news, and judges it.
        let mayRestartOnceMore = triggers.mayRestart(by: .kernel)
        #expect(!mayRestartOnceMore)
        let isNews = triggers.revived(.beacon(.ipv4), isAlive: true, at: now)
        let mayRestart = triggers.mayRestart(by: .beacon(.ipv4))
        #expect(isNews && !mayRestart)
        triggers.roundEnded(isNews: false, at: now)
        #expect(!triggers.isDoubted(.beacon(.ipv4)) && triggers.isDoubted(.kernel))
        let isNewsAgain = triggers.revived(.beacon(.ipv4), isAlive: true, at: now)
        let mayRestartAgain = triggers.mayRestart(by: .beacon(.ipv4))
        #expect(isNewsAgain && mayRestartAgain)
        triggers.roundEnded(isNews: false, at: now)
        #expect(triggers.isDoubted(.beacon(.ipv4)))
    }

    @Test func `the recovery of a target ends an outage at once, also where it has ended the outage before`() {
        var run = MachineRun.online()
        for _ in 0..<2 {
            run.world = .cut
            run.advance(by: 60)
            #expect(run.state == .noInternet)
            run.world = .good
            let repair = run.now
            run.send(.sensed(.target("web"), isAlive: true))
            run.advance(by: 1)
            #expect(run.state == .online)
            #expect(run.verdict.map { Moment.seconds($0.evidenceAt) } == repair)
        }
    }
}
