import HTTPTransfer
import Posix

/// One round of checks of the internet: both families concurrently, and the API of a portal if there is one.
struct InternetRound: Sendable {
    let plan: RoundPlan
    let configuration: InternetConfiguration
    let tools: RoundTools

    /// Reports each family as soon as its checks have ended; returns after all, or when the task is cancelled.
    func perform(report: @escaping @Sendable (RoundReport) -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            for (family, familyPlan) in plan.families {
                let round = FamilyRound(
                    family: family,
                    plan: familyPlan,
                    gateways: plan.gateways.filter { $0.address.family == family },
                    configuration: configuration,
                    tools: tools
                )
                group.addTask { report(.family(family, await round.perform())) }
            }
            if let uri = plan.portalURI {
                group.addTask { report(.portal(isCaptive: await isCaptive(uri))) }
            }
        }
    }

    private func isCaptive(_ uri: String) async -> Bool? {
        let (tools, timeout) = (tools, configuration.timeout)
        return await withTaskGroup(of: Bool?.self) { group in
            group.addTask { await tools.captive(uri) }
            group.addTask {
                // The limit of the wait, which an answer ends earlier.
                try? await tools.clock.sleep(for: timeout)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}

/// The shared parts of all rounds.
struct RoundTools: Sendable {
    let transfers: any HTTPTransferring
    let connecting: any Connecting
    let pinging: any Pinging
    /// Queries the API of a portal (RFC 8908): whether this host is captive; nil: no answer.
    let captive: @Sendable (_ uri: String) async -> Bool?
    /// Has the next lookups made anew, even where an equal one is under way.
    var renewLookups: @Sendable () -> Void = {}
    let clock: InternetClock
    /// Called with each check that ended.
    let record: @Sendable (InternetSample) -> Void
}
