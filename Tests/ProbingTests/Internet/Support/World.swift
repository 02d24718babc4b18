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

    /// In seconds.
    static let timeout = 3.0

    /// What a round finds, and how long that takes.
    func evidence(_ plan: FamilyPlan) -> (FamilyEvidence, seconds: Double) {
        var evidence = FamilyEvidence()
        let asksAll = plan.depth == .confirming
        switch self {
        case .good:
            evidence.checks = [.success]
            if plan.asksHTTPS { evidence.https = [.success] }
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
        case .portal:
            evidence.checks = [.portal, .portal]
            evidence.https = [.failed(.timeout, phase: .connect)]
            return (evidence, 3)
        case .cut, .routerGone:
            evidence.checks = [.failed(.timeout, phase: .connect), .failed(.timeout, phase: .connect)]
            evidence.https = [.failed(.timeout, phase: .connect)]
            guard plan.depth != .routine else { return (evidence, Self.timeout) }
            if case .cut = self { evidence.gateways = [.success] } else { evidence.gateways = [.failed(.timeout)] }
            // A fresh round pings the router a third of the timeout after the first check.
            return (evidence, asksAll ? Self.timeout : Self.timeout * 4 / 3)
        case .refusing:
            evidence.checks = [.failed(.refused, phase: .connect), .failed(.refused, phase: .connect)]
            evidence.https = [.failed(.refused, phase: .connect)]
            if plan.depth != .routine { evidence.gateways = [.success] }
            return (evidence, 0.01)
        case .deadResolver:
            evidence.checks = [.failed(.timeout, phase: .resolve), .failed(.timeout, phase: .resolve)]
            evidence.https = [.failed(.timeout, phase: .resolve)]
            guard plan.depth != .routine else { return (evidence, Self.timeout) }
            evidence.literals = [.success]
            return (evidence, plan.asksLiterals ? Self.timeout : Self.timeout + 0.05)
        }
    }
}
