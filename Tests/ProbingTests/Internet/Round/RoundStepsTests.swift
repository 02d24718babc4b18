import HTTPTransfer
import Testing

@testable import Probing

struct RoundStepsTests {
    private func steps(_ depth: FamilyPlan.Depth, https: Bool = false, hosts: [Int] = [0]) -> RoundSteps {
        let plan = FamilyPlan(depth: depth, asksHTTPS: https)
        return RoundSteps(plan, checks: 2, https: hosts, literals: [1], gateways: 1)
    }

    private let timeout = ProbeOutcome.failed(.timeout, phase: .connect)
    private let untrusted = ProbeOutcome.untrusted(.other)
    private let unresolved = ProbeOutcome.failed(.resolve, phase: .resolve)

    @Test func `A routine round checks the first server only, if it answers`() {
        var steps = steps(.routine)
        #expect(steps.begin() == [.check(0)])
        #expect(steps.finished(.check(0), .success) == [])
        #expect(steps.isOver)
    }

    @Test func `If the first check fails, the other operators are checked`() {
        var steps = steps(.routine)
        _ = steps.begin()
        #expect(steps.finished(.check(0), timeout) == [.check(1), .https(0), .literal(1)])
        #expect(!steps.isOver)
        #expect(steps.finished(.check(1), timeout) == [])
        #expect(steps.finished(.https(0), timeout) == [])
        #expect(!steps.isOver)
        #expect(steps.finished(.literal(1), timeout) == [])
        #expect(steps.isOver)
        #expect(steps.evidence == FamilyEvidence(checks: [timeout, timeout], https: [timeout], literals: [timeout]))
    }

    @Test func `If the first does not answer, they are checked meanwhile, once`() {
        var steps = steps(.routine)
        _ = steps.begin()
        #expect(steps.canWiden)
        #expect(steps.widenAfterWait() == [.check(1), .https(0), .literal(1)])
        #expect(!steps.canWiden)
        #expect(steps.widenAfterWait() == [])
        #expect(steps.finished(.check(0), timeout) == [])
        #expect(steps.finished(.https(0), .success) == [])
        #expect(steps.isOver)
    }

    @Test func `A routine round finds out whether names alone fail, and asks no router`() {
        var steps = steps(.routine)
        _ = steps.begin()
        #expect(steps.finished(.check(0), unresolved) == [.check(1), .https(0), .literal(1)])
        _ = steps.finished(.literal(1), .success)
        _ = steps.finished(.check(1), unresolved)
        #expect(steps.finished(.https(0), unresolved) == [])
        #expect(steps.isOver && InternetFinding(steps.evidence) == InternetFinding(state: .dnsBroken, cause: .dns))
    }

    @Test func `A fresh round also checks HTTPS, and waits for it`() {
        var steps = steps(.fresh, https: true)
        #expect(steps.begin() == [.check(0), .https(0)])
        _ = steps.finished(.check(0), .success)
        #expect(!steps.isOver)
        #expect(steps.finished(.https(0), untrusted) == [])
        #expect(steps.isOver)
    }

    @Test func `A literal that is silent does not hold a round in which a server answered`() {
        var steps = steps(.fresh, https: true)
        _ = steps.begin()
        _ = steps.finished(.https(0), timeout)
        #expect(steps.finished(.check(0), .portal) == [.check(1), .gateway(0), .literal(1)])
        _ = steps.finished(.check(1), .portal)
        _ = steps.finished(.gateway(0), .success)
        #expect(steps.isOver && InternetFinding(steps.evidence) == .captivePortal)
    }

    @Test func `Where HTTP passes and HTTPS is silent, the host is asked in small segments, once`() {
        var steps = steps(.routine, https: true)
        _ = steps.begin()
        _ = steps.finished(.check(0), .success)
        #expect(steps.widenAfterWait() == [.smallHTTPS(0), .check(1), .literal(1)])
        #expect(steps.widenAfterWait() == [])
        _ = steps.finished(.https(0), .failed(.timeout, phase: .tls))
        #expect(!steps.isOver)
        #expect(steps.finished(.smallHTTPS(0), .success) == [])
        #expect(steps.isOver && InternetFinding(steps.evidence) == .smallPackets)
    }

    @Test func `Without an answer over HTTP, small segments explain nothing`() {
        var steps = steps(.routine, https: true)
        _ = steps.begin()
        #expect(steps.widenAfterWait() == [.check(1), .literal(1)])
    }

    @Test func `The second HTTPS host is checked only after the certificate of the first was not trusted`() {
        let handshake = ProbeOutcome.failed(.tls, phase: .tls)
        for (outcome, next) in [(ProbeOutcome.success, []), (timeout, []), (handshake, []), (untrusted, [.https(2)])]
            as [(ProbeOutcome, [RoundSteps.Step])]
        {
            for depth in [FamilyPlan.Depth.routine, .fresh, .confirming] {
                var steps = steps(depth, https: true, hosts: [0, 2, 3])
                #expect(!steps.begin().contains(.https(2)))
                _ = steps.finished(.check(0), .success)
                #expect(steps.finished(.https(0), outcome) == next)
                #expect(steps.isOver == next.isEmpty)
            }
        }
    }

    @Test func `Two certificates that are not trusted end a round, and no third host is checked`() {
        var steps = steps(.fresh, https: true, hosts: [0, 2, 3])
        _ = steps.begin()
        #expect(steps.finished(.https(0), untrusted) == [.https(2)])
        _ = steps.finished(.check(0), .success)
        #expect(!steps.isOver)
        #expect(steps.finished(.https(2), untrusted) == [])
        #expect(steps.isOver)
        #expect(steps.evidence == FamilyEvidence(checks: [.success], https: [untrusted, untrusted]))
    }

    @Test func `a valid certificate ends any round`() {
        var steps = steps(.confirming)
        _ = steps.begin()
        _ = steps.finished(.https(0), .success)
        #expect(steps.isOver)
    }

    @Test func `A fresh round pings the router and checks the literals together with the other operators`() {
        var steps = steps(.fresh, https: true)
        _ = steps.begin()
        #expect(steps.finished(.check(0), timeout) == [])
        #expect(steps.finished(.https(0), timeout) == [.check(1), .gateway(0), .literal(1)])
        _ = steps.finished(.check(1), timeout)
        #expect(!steps.isOver)
        _ = steps.finished(.gateway(0), .success)
        #expect(!steps.isOver)
        #expect(steps.finished(.literal(1), .success) == [])
        #expect(steps.isOver && InternetFinding(steps.evidence).state == .dnsBroken)
    }

    @Test func `A confirming round runs all checks at once, so that it lasts one timeout`() {
        var steps = steps(.confirming)
        #expect(steps.begin() == [.check(0), .check(1), .https(0), .gateway(0), .literal(1)])
        #expect(!steps.canWiden)
        _ = steps.finished(.check(0), unresolved)
        _ = steps.finished(.check(1), unresolved)
        #expect(steps.finished(.https(0), unresolved) == [])
        #expect(steps.finished(.literal(1), .success) == [])
    }

    @Test func `A round behind a known portal asks one server, and all as soon as no portal answers`() {
        for outcome in [ProbeOutcome.success, timeout, unresolved, .failed(.status)] {
            var known = steps(.portal)
            #expect(known.begin() == [.check(0)])
            #expect(known.finished(.check(0), .portal) == [])
            #expect(known.isOver && InternetFinding(known.evidence) == .captivePortal)
            var other = steps(.portal)
            _ = other.begin()
            #expect(other.finished(.check(0), outcome).contains(.https(0)) && !other.isOver)
        }
        var silent = steps(.portal)
        _ = silent.begin()
        #expect(silent.widenAfterWait() == [.check(1), .https(0), .gateway(0), .literal(1)])
    }

    @Test func `A literal that is silent does not hold a round in which one name resolved`() {
        var steps = steps(.confirming)
        _ = steps.begin()
        _ = steps.finished(.gateway(0), .success)
        _ = steps.finished(.check(0), unresolved)
        _ = steps.finished(.check(1), timeout)
        #expect(steps.finished(.https(0), unresolved) == [])
        #expect(steps.isOver)
    }

    @Test func `Literals do not end the checks by name`() {
        var steps = steps(.confirming)
        _ = steps.begin()
        _ = steps.finished(.check(0), unresolved)
        _ = steps.finished(.literal(1), .success)
        #expect(!steps.isOver)
        _ = steps.finished(.check(1), unresolved)
        _ = steps.finished(.https(0), unresolved)
        #expect(steps.isOver)
    }

    @Test func `A cancelled check is no evidence`() {
        var steps = steps(.routine)
        _ = steps.begin()
        _ = steps.finished(.check(0), nil)
        #expect(steps.evidence == FamilyEvidence())
    }

    @Test func `Without a first check the others start, and without any the round is over`() {
        let plan = FamilyPlan(depth: .routine)
        var https = RoundSteps(plan, checks: 0, https: [0], literals: [], gateways: 0)
        #expect(https.begin() == [.https(0)])
        var empty = RoundSteps(plan, checks: 0, https: [], literals: [], gateways: 0)
        #expect(empty.begin() == [])
        #expect(empty.isOver)
    }
}
