import FoundationEssentials
import NetworkPath
import Posix
import Probing

extension Requirement {
    /// Whether one uplink meets it: what carries all traffic by what is known about the path, another one by its own probes.
    ///
    /// What is not known is not taken for down.
    func evaluate(_ facts: RequirementFacts, over name: String) -> RequirementVerdict {
        guard let state = facts.state, !state.isSettling else {
            return RequirementVerdict(self, reasons: [.starting])
        }
        guard let report = facts.uplinks().first(where: { $0.name == name }) else {
            return RequirementVerdict(self, reasons: [.uplinkUnknown])
        }
        // The path may lead elsewhere already; a container has no device of its host.
        let isElsewhere = report.origin == .here && state.path.interface.map { $0.name != report.device } ?? false
        var verdict: RequirementVerdict
        if report.isAlone, !isElsewhere {
            verdict = judge(facts)
        } else if let isOnline = report.isOnline, !isOnline || targets.isEmpty {
            var own = facts
            own.state = HealthState(over: report, beside: state, facts)
            own.latency = NetworkLatency(latency: report.latency, lossRatio: report.lossRatio)
            verdict = judge(own)
        } else {
            // The targets are probed over the path in use.
            verdict = RequirementVerdict(self, reasons: [.uplinkUnknown])
        }
        verdict.uplink = report
        return verdict
    }
}

extension HealthState {
    /// The state as if all traffic left over an uplink about which it is known whether it works.
    fileprivate init(over report: UplinkReport, beside state: HealthState, _ facts: RequirementFacts) {
        var path = Path(status: .satisfied)
        switch report.cause {
        case .link?: (path.status, path.unsatisfiedReason) = (.unsatisfied, .linkDown)
        case .route?: (path.status, path.unsatisfiedReason) = (.unsatisfied, .noRoute)
        default: break
        }
        path.interface = report.interface
        // As the path names them, and with it the measurements: a link-local one with its zone.
        path.gateways = report.routers.map { router in
            guard let device = report.interface?.name, let address = IPAddress(router) else { return router }
            return address.text(on: device)
        }
        path.viewpoint = state.path.viewpoint
        path.isExpensive = report.isExpensive ?? false
        path.expensiveSource = report.isExpensive == nil ? .unknown : report.origin == .host ? .host : .assumed
        let down = report.cause.flatMap { InternetState(rawValue: $0.rawValue) } ?? .noInternet
        var evidence = Uplink(path).map(facts.evidence) ?? QualityEvidence()
        evidence.impairments = Set(latency: report.latency, loss: report.lossRatio)
        self.init(
            path: path,
            internet: InternetVerdict(
                state: report.isOnline == false ? down : .online,
                // Without it untrusted certificates are online.
                cause: report.cause == .tlsUntrusted ? .tlsUntrusted : nil,
                evidenceAt: report.downSince ?? .now,
                generation: state.generation
            ),
            expectsVerdict: true,
            evidence: evidence,
            timestamp: facts.date
        )
    }
}
