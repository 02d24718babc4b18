import HTTPTransfer
import Posix

@testable import Probing

/// What a simulated network does to rounds.
enum World: Sendable {
    case good
    /// Everything is dropped: each question takes its whole timeout.
    case cut
    /// The same, and the router is gone.
    case routerGone
    /// Everything is refused at once.
    case refusing
    /// Neither the kernel nor a router has a route.
    case unreachable
    case portal
    /// HTTP is redirected, HTTPS passes.
    case halfPortal
    case deadResolver
    /// The check passes; both HTTPS hosts show a wrong certificate.
    case inspected
    /// The check passes; the first HTTPS host shows a wrong certificate, and the second a valid one.
    case halfInspected
    /// The check passes; HTTPS is silent.
    case dropsHTTPS
    /// Full packets vanish: HTTPS passes in small segments only.
    case small
    /// This machine has no thread for a lookup.
    case withoutThreads
    /// Everything is dropped, with the name server: no name resolves.
    case cutWithNames
    /// The same from within a round on, which had looked up its first name.
    case cutWithinRound

    /// In seconds.
    static let timeout = 3.0

    /// What a round finds, and how long that takes.
    func evidence(_ plan: FamilyPlan) -> (FamilyEvidence, seconds: Double) {
        var evidence = FamilyEvidence()
        let asksAll = plan.depth == .confirming
        switch self {
        case .good:
            evidence.checks = [.success]
            if plan.asksHTTPS || plan.depth == .portal { evidence.https = [.success] }
            return (evidence, 0.05)
        case .inspected, .halfInspected, .dropsHTTPS:
            evidence.checks = [.success]
            guard plan.asksHTTPS else { return (evidence, 0.05) }
            evidence.https =
                switch self {
                case .inspected: [.untrusted(.other), .untrusted(.other)]
                case .halfInspected: [.untrusted(.other), .success]
                default: [.failed(.timeout, phase: .connect)]
                }
            return (evidence, 0.1)
        case .small:
            evidence.checks = [.success]
            guard plan.asksHTTPS else { return (evidence, 0.05) }
            evidence.https = [.failed(.timeout, phase: .tls)]
            evidence.smallHTTPS = [.success]
            return (evidence, Self.timeout)
        case .withoutThreads:
            evidence.checks = [.failed(.local, phase: .resolve), .failed(.local, phase: .resolve)]
            evidence.isIncomplete = true
            return (evidence, Self.timeout)
        case .unreachable:
            evidence.checks = [.failed(.unreachable, phase: .connect)]
            evidence.https = [.failed(.unreachable, phase: .connect)]
            return (evidence, 0.05)
        case .halfPortal:
            return RoundCourse.run(plan) { step in
                switch step {
                case .gateway, .literal, .https, .smallHTTPS: (.success, 0.05)
                case .check: (.portal, 0.05)
                }
            }
        case .portal:
            return RoundCourse.run(plan) { step in
                switch step {
                case .gateway, .literal: (.success, 0.01)
                case .check: (.portal, 0.05)
                case .https, .smallHTTPS: (.failed(.timeout, phase: .connect), Self.timeout)
                }
            }
        case .cut, .routerGone:
            evidence.checks = [.failed(.timeout, phase: .connect), .failed(.timeout, phase: .connect)]
            evidence.https = [.failed(.timeout, phase: .connect)]
            guard plan.depth != .routine else { return (evidence, Self.timeout) }
            if case .cut = self { evidence.gateways = [.success] } else { evidence.gateways = [.failed(.timeout)] }
            // A fresh round pings the router a third of the timeout after the first check.
            return (evidence, asksAll ? Self.timeout : Self.timeout * 4 / 3)
        case .cutWithNames, .cutWithinRound:
            return RoundCourse.run(plan) { step in
                switch step {
                case .gateway: (.success, 0.01)
                case .literal: (.failed(.timeout), Self.timeout)
                case .check(0) where self == .cutWithinRound: (.failed(.timeout, phase: .connect), Self.timeout)
                case .check, .https, .smallHTTPS: (.failed(.timeout, phase: .resolve), Self.timeout)
                }
            }
        case .refusing:
            evidence.checks = [.failed(.refused, phase: .connect), .failed(.refused, phase: .connect)]
            evidence.https = [.failed(.refused, phase: .connect)]
            if plan.depth != .routine { evidence.gateways = [.success] }
            return (evidence, 0.01)
        case .deadResolver:
            evidence.checks = [.failed(.timeout, phase: .resolve), .failed(.timeout, phase: .resolve)]
            evidence.https = [.failed(.timeout, phase: .resolve)]
            evidence.literals = [.success]
            return (evidence, Self.timeout)
        }
    }
}

/// A round by the steps that the exporter takes.
enum RoundCourse {
    /// - Parameters:
    ///   - plan: of the round.
    ///   - answer: the outcome of each step, and after how many seconds; all but the router's end with the timeout of the round at the latest.
    /// - Returns: what it found, and how long it took.
    static func run(
        _ plan: FamilyPlan,
        _ answer: (RoundSteps.Step) -> (outcome: ProbeOutcome, seconds: Double)
    ) -> (FamilyEvidence, seconds: Double) {
        var steps = RoundSteps(plan, checks: 2, https: [0, 1], literals: [0], gateways: 1)
        var now = 0.0
        var ends: [(at: Double, step: RoundSteps.Step, outcome: ProbeOutcome)] = []
        func add(_ new: [RoundSteps.Step]) {
            for step in new {
                let (outcome, seconds) = answer(step)
                let isOwn =
                    switch step {
                    case .gateway: true
                    default: false
                    }
                ends.append((isOwn ? now + seconds : min(now + seconds, World.timeout), step, outcome))
            }
        }
        add(steps.begin())
        var widensAt: Double? = World.timeout / 3
        while !steps.isOver {
            let next = ends.min { $0.at < $1.at }
            if let at = widensAt, steps.canWiden, next.map({ at < $0.at }) ?? true {
                (now, widensAt) = (at, nil)
                add(steps.widenAfterWait())
            } else if let next {
                now = next.at
                ends.removeAll { $0.step == next.step }
                add(steps.finished(next.step, next.outcome))
            } else {
                break
            }
        }
        return (steps.evidence, now)
    }
}
