import FoundationEssentials
import HTTPTransfer
import Posix

/// One family's part of a round: runs the checks that `RoundSteps` decides, concurrently.
struct FamilyRound: Sendable {
    let family: AddressFamily
    let plan: FamilyPlan
    let gateways: [ProbeContext.Gateway]
    let configuration: InternetConfiguration
    let tools: RoundTools

    private enum Event {
        case answer(RoundSteps.Step, Answer)
        case waitEnded
    }

    private struct Answer {
        /// nil: cancelled.
        var outcome: ProbeOutcome?
        /// See `FamilyEvidence.clockSkew`.
        var clockSkew: Duration?
        /// A limit of this machine prevented the check.
        var isLocal = false

        static let local = Answer(isLocal: true)
    }

    /// Checks that cannot change the finding any more are cancelled.
    func perform() async -> FamilyEvidence {
        let literals = configuration.literals.indices.filter { configuration.literals[$0].ip.family == family }
        var steps = RoundSteps(
            plan,
            checks: configuration.probes.count,
            https: configuration.independentHTTPS(over: family),
            literals: literals,
            gateways: gateways.count
        )
        var skews: [Duration] = []
        var isIncomplete = false
        let start = tools.clock.now()
        await withTaskGroup(of: Event.self) { group in
            for step in steps.begin() { group.addTask { .answer(step, await answer(to: step, start: start)) } }
            if steps.canWiden {
                group.addTask {
                    // Then more operators are checked, unless the first has answered.
                    try? await tools.clock.sleep(for: configuration.timeout / 3)
                    return .waitEnded
                }
            }
            while !steps.isOver, let event = await group.next() {
                let next: [RoundSteps.Step]
                switch event {
                case .waitEnded: next = steps.widenAfterWait()
                case .answer(let step, let answer):
                    if let skew = answer.clockSkew { skews.append(skew) }
                    isIncomplete = isIncomplete || answer.isLocal
                    next = steps.finished(step, answer.outcome)
                }
                for step in next { group.addTask { .answer(step, await answer(to: step, start: start)) } }
            }
            group.cancelAll()
        }
        var evidence = steps.evidence
        // One server with a wrong clock is more likely than several.
        evidence.clockSkew = ClockCheck.nearest(skews)
        evidence.isIncomplete = isIncomplete
        return evidence
    }

    private func answer(to step: RoundSteps.Step, start: InternetClock.Instant) async -> Answer {
        switch step {
        case .check(let index):
            let check = configuration.probes[index]
            // The page of a portal is of no use: its status and its length are in the head.
            let isHead = plan.depth == .portal && index == 0 && check.expectation.isOfHead
            return await transfer(check.url, method: isHead ? .head : .get, name: check.name, start: start) {
                ProbeOutcome($0, expecting: check.expectation)
            }
        case .https(let index), .smallHTTPS(let index):
            let url = configuration.https[index]
            let name = InternetConfiguration.host(of: url) ?? url
            let size = step == .https(index) ? nil : InternetConfiguration.smallSegment
            return await transfer(url, name: name, start: start, maximumSegment: size) { _ in .success }
        case .literal(let index):
            let endpoint = configuration.literals[index]
            guard let rest = rest(since: start) else { return .local }
            return noted(
                await tools.connecting.connect(to: endpoint, interface: nil, timeout: rest),
                name: InternetConfiguration.literalName
            )
        case .gateway(let index):
            let result = await tools.pinging.ping(gateways[index], timeout: configuration.timeout)
            var answer = noted(result, name: InternetConfiguration.gatewayName)
            // A router shows the cause of a failure only: the other checks hold without it.
            if answer.isLocal { answer = Answer(outcome: .failed(.local)) }
            return answer
        }
    }

    /// All requests of a round end at the same time, one timeout after its start.
    ///
    /// - Returns: nil where the time is over: this process got no processor when the check was due.
    private func rest(since start: InternetClock.Instant) -> Duration? {
        let rest = tools.clock.now().duration(to: start.advanced(by: configuration.timeout))
        return rest < .milliseconds(1) ? nil : rest
    }

    private func transfer(
        _ url: String,
        method: TransferRequest.Method = .get,
        name: String,
        start: InternetClock.Instant,
        maximumSegment: Int32? = nil,
        judge: (TransferResponse) -> ProbeOutcome
    ) async -> Answer {
        guard InternetConfiguration.mayReach(url, over: family) else {
            return Answer(outcome: .failed(.resolve, phase: .resolve))
        }
        guard let rest = rest(since: start) else { return .local }
        var request = TransferRequest(url: url, method: method)
        // Never from a cache: a cached answer proves nothing.
        request.headers = [("Connection", "close"), ("Cache-Control", "no-cache")]
        request.usesFreshConnection = true
        request.maximumSegment = maximumSegment
        request.family = family
        request.tls = configuration.tls
        request.proxy = configuration.proxy
        request.sink = .collect(limit: 4096)
        request.timeout = rest
        let sent = Date.now
        do throws(TransferError) {
            let response = try await tools.transfers.perform(request)
            let outcome = judge(response)
            note(InternetSample(name, family, outcome.failure, response.statistics))
            return Answer(outcome: outcome, clockSkew: ClockCheck.skew(of: response, between: sent, and: .now))
        } catch {
            guard let outcome = ProbeOutcome(error) else { return Answer() }
            note(InternetSample(name, family, outcome.failure, error.statistics, error))
            if outcome.failure == .local { return .local }
            return Answer(outcome: outcome)
        }
    }

    private func noted(_ result: ProbeResult, name: String) -> Answer {
        // The failure of a cancelled probe is not one of the network.
        guard !Task.isCancelled else { return Answer() }
        note(InternetSample(name, family, result))
        if result.failure == .local { return .local }
        return Answer(outcome: result.failure.map { .failed($0) } ?? .success)
    }

    private func note(_ sample: InternetSample) { tools.record(sample) }
}
