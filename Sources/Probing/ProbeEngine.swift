import HTTPTransfer
import Netlink
package import Posix

/// The shared parts of all probes of a process: loops for transfers, one for sockets, the threads that resolve names.
///
/// It sends nothing by itself: its monitors do.
package final class ProbeEngine: Sendable {
    /// For the targets.
    private let transfers: TransferLoop
    /// For the internet.
    private let internetTransfers: TransferLoop
    private let internetResolver: any NameResolving
    /// The names of targets whose reply came after its time-out; for one reader.
    package let lateReplies: AsyncStream<String>

    /// What routers said about the packets of all probes.
    private let refusals = RefusalLog()

    private let tools: ProbeTools
    private let late: AsyncStream<String>.Continuation

    /// Starts the loops.
    ///
    /// - Parameters:
    ///   - userAgent: what every HTTP request calls itself.
    ///   - resolver: for the targets.
    ///   - internetResolver: for the internet, with threads of its own: names of targets that are not answered take none.
    /// - Throws: `SystemError` where descriptors, memory or threads have run out.
    package init(
        userAgent: String,
        resolver: any NameResolving = SystemResolver(),
        internetResolver: any NameResolving = SystemResolver()
    ) throws(SystemError) {
        let (lateReplies, late) = AsyncStream<String>.makeStream(bufferingPolicy: .bufferingNewest(1024))
        (self.lateReplies, self.late, self.internetResolver) = (lateReplies, late, internetResolver)
        transfers = try TransferLoop(name: "probe transfers", userAgent: userAgent, resolver: resolver)
        internetTransfers = try TransferLoop(
            name: "internet checks",
            userAgent: userAgent,
            resolver: internetResolver
        )
        let readiness = try Readiness(name: "probe sockets")
        tools = ProbeTools(
            transfers: transfers,
            resolver: resolver,
            readiness: readiness,
            pinger: Pinger(readiness: readiness) { late.yield($0) },
            handshakes: HandshakeTimer(readiness: readiness)
        )
    }

    deinit { stop() }

    /// Probes a target once; see ``Probe/probe(_:in:with:)``.
    @Sendable package func probe(_ target: Target, in context: ProbeContext) async -> ProbeResult {
        let result = await target.probe.probe(target, in: context, with: tools)
        refusals.note(result.refusal)
        return result
    }

    /// A monitor of the routers on the way to the internet; it sends only while it runs.
    ///
    /// - Parameters:
    ///   - configuration: how far, and how often.
    ///   - device: bound to it; nil: the kernel chooses.
    ///   - onChange: called after each probe that ended; must not block.
    ///   - onRound: called with the destination of each round of probes as it begins; must not block.
    /// - Returns: the monitor, which has the errors of routers to the other probes of this engine, too.
    package func hopMonitor(
        _ configuration: HopConfiguration,
        device: String? = nil,
        onChange: @escaping @Sendable () -> Void = {},
        onRound: @escaping @Sendable (IPAddress) -> Void = { _ in }
    ) -> HopMonitor {
        HopMonitor(
            configuration,
            probing: HopProbe(device: device, readiness: tools.readiness, refusals: refusals),
            refusals: refusals,
            onChange: onChange,
            onRound: onRound
        )
    }

    /// A monitor of the configured name servers; it sends only while it runs.
    package func resolverMonitor(_ configuration: ResolverPlan) -> ResolverMonitor {
        ResolverMonitor(configuration) { [tools, refusals] name, server, timeout in
            let result = await DNSProbe.ask(
                for: name,
                at: server.address,
                device: server.neededDevice,
                timeout: timeout,
                tools.readiness
            )
            refusals.note(result.refusal)
            return result
        }
    }

    /// What asks the internet through one uplink.
    package var uplinkProbe: UplinkProbe { UplinkProbe(readiness: tools.readiness) }

    /// What asks for the public address.
    package var stunClient: STUNClient { STUNClient(readiness: tools.readiness) }

    /// A monitor of the internet; it sends only while it runs.
    ///
    /// - Parameters:
    ///   - configuration: the hosts to contact, and how often.
    ///   - kernelChanges: a number that grows with each change of a link or route.
    ///   - passiveReport: reports the traffic of other programs, which can make a round needless.
    ///   - onLocalFailure: called with the error of each check that a limit of this machine ended; must not block.
    ///   - onClockFault: called with this clock minus that of a server where this explains an untrusted certificate; must
    ///     not block.
    ///   - onVerdict: called for each change of the verdict, in order; must not block.
    /// - Returns: the monitor, for one run.
    package func internetMonitor(
        _ configuration: InternetConfiguration,
        kernelChanges: @escaping @Sendable () -> UInt64 = { 0 },
        passiveReport: @escaping @Sendable () async -> PassiveReport?,
        onLocalFailure: @escaping @Sendable (_ error: String) -> Void = { _ in },
        onClockFault: @escaping @Sendable (_ skew: Duration) -> Void = { _ in },
        onVerdict: @escaping @Sendable (InternetVerdict) -> Void
    ) -> InternetMonitor {
        InternetMonitor(
            configuration: configuration,
            transfers: internetTransfers,
            connecting: tools.handshakes,
            pinging: tools.pinger,
            pulseTools: PulseTools(
                query: { [tools] in await DNSProbe.ask(for: $0, at: $1, timeout: $2, tools.readiness) },
                isNeighbour: { [tools] in await tools.neighbours.state(of: $0)?.isReachable ?? false },
                kernelChanges: kernelChanges
            ),
            renewLookups: { [internetResolver] in internetResolver.renew() },
            captive: { [internetTransfers] in
                await CaptivePortalAPI.status(at: $0, over: internetTransfers)?.isCaptive
            },
            passiveReport: passiveReport,
            refusals: refusals,
            onLocalFailure: onLocalFailure,
            onClockFault: onClockFault,
            onVerdict: onVerdict
        )
    }

    /// Ends the running probes; later probes fail at once.
    package func stop() {
        transfers.stop()
        internetTransfers.stop()
        tools.readiness.stop()
        late.finish()
    }
}
