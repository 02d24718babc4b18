import HTTPTransfer
import Posix

/// One look at the internet: both families at the same time, and the portal's own interface where there is one.
struct InternetRound: Sendable {
    let plan: RoundPlan
    let configuration: InternetConfiguration
    let instruments: RoundInstruments

    /// Reports each family as soon as all is known of it; returns when all have been, or the task was cancelled.
    func perform(report: @escaping @Sendable (RoundReport) -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            for (family, familyPlan) in plan.families {
                let round = FamilyRound(
                    family: family,
                    plan: familyPlan,
                    gateways: plan.gateways.filter { $0.address.family == family },
                    configuration: configuration,
                    instruments: instruments
                )
                group.addTask { report(.family(family, await round.perform())) }
            }
            if let uri = plan.portalURI {
                group.addTask { report(.portal(isCaptive: await isCaptive(uri))) }
            }
        }
    }

    private func isCaptive(_ uri: String) async -> Bool? {
        let (instruments, timeout) = (instruments, configuration.timeout)
        return await withTaskGroup(of: Bool?.self) { group in
            group.addTask { await instruments.captive(uri) }
            group.addTask {
                try? await instruments.timeline.sleep(for: timeout)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}

/// What a round asks with.
struct RoundInstruments: Sendable {
    let transfers: any HTTPTransferring
    let connecting: any Connecting
    let pinging: any Pinging
    /// Asks a portal's own interface (RFC 8908) whether this host is held captive; nil: no answer.
    let captive: @Sendable (_ uri: String) async -> Bool?
    let timeline: Timeline
    /// Told about each question that came to an end.
    let record: @Sendable (InternetSample) -> Void
}
