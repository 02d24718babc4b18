import FoundationEssentials
import NetworkHealth
import NetworkPath
import Posix
import Probing
import SpeedTestCore
import Statistics

/// Collects what is known now about where a fault may be.
struct EvidenceReader: Sendable {
    let targets: TargetMonitor
    let internet: InternetService
    let speedTests: SpeedTestBoard
    let hops: HopMonitor
    let far: FarPings
    let resolvers: ResolverMonitor
    let procfs: String

    /// Collects it.
    ///
    /// - Parameters:
    ///   - state: the path and the internet behind it.
    ///   - setup: which routers are probed.
    ///   - rates: what the path's device carries.
    ///   - now: the time.
    /// - Returns: the evidence of now.
    func read(
        _ state: HealthState,
        _ setup: HopSetup,
        _ rates: DeviceRates,
        at now: OutcomeWindow.Instant
    ) -> FaultEvidence {
        var evidence = FaultEvidence()
        evidence.path = state.path
        evidence.isOnline = state.isOnline
        if let outage = state.outage, outage.isOngoing {
            let since = now - outage.since.duration(to: .now)
            evidence.outage = FaultEvidence.OngoingOutage(state.currentCause, since: since)
        }
        evidence.hops = setup.isEnabled(over: state.path) ? hops.reports : []
        evidence.firstProviderHop = setup.probes.firstProviderHop
        // What the kernel sends from; an IPv4 address does not show whose a router is.
        evidence.ownAddresses = setup.probes.destinations.values.compactMap { SocketAddress($0).source }
        evidence.isTesting = speedTests.read { $0.running != nil }
        evidence.servers = far.servers
        evidence.nameServers = resolvers.reports.map { FaultEvidence.NameServer($0.address, window: $0.window) }
        readTargets(&evidence, at: now)
        readInternet(state, &evidence)
        readHost(&evidence)
        let (results, plans) = speedTests.read { ($0.results, $0.plans) }
        evidence.speedTest = results.last.flatMap { report in
            report.uplink == state.uplink?.name
                ? SpeedTestFacts(report, beside: results.servers, plans, at: now) : nil
        }
        (evidence.host.received, evidence.host.sent) = (rates.received, rates.sent)
        if let measured = state.evidence.measurement {
            evidence.host.measuredDownload = measured.download?.rate.bitsPerSecond
            evidence.host.measuredUpload = measured.upload?.rate.bitsPerSecond
        }
        return evidence
    }

    private func readTargets(_ evidence: inout FaultEvidence, at now: OutcomeWindow.Instant) {
        for report in targets.reports {
            let (target, window) = (report.target, report.statistics.window)
            if target.isBuiltIn {
                guard let router = evidence.path?.routersInUse.lazy.compactMap(ProbeContext.Gateway.init).first else {
                    continue
                }
                var gateway = FaultEvidence.Gateway(router.address)
                gateway.window = window
                // Those of an outage are in no window.
                gateway.silences = report.statistics.failuresInARow
                gateway.isNeighbour = report.statistics.isNeighbour
                gateway.confirmedAt = report.statistics.confirmedAt
                evidence.gateway = gateway
            } else if case .skip = report.decision {
                // One that is paused because of the cost of the path may answer by now, or not any more.
                continue
            } else if let address = report.statistics.answeredFrom ?? report.statistics.lastResult?.address {
                // What a name server does not answer is not lost on the way to the target, and not the target's fault.
                let unresolved = report.statistics.unresolvedAt
                let lacksNames = unresolved.map { $0.duration(to: now) < FaultEvidence.span } ?? false
                if lacksNames, window.lossesInARow > 0 { continue }
                let showsWay = target.measuresRoundTrip && report.countsForNetwork && !lacksNames
                evidence.servers.append(
                    FaultEvidence.Server(target.name, address.family, window: window, showsWay: showsWay)
                )
            }
        }
    }

    private func readInternet(_ state: HealthState, _ evidence: inout FaultEvidence) {
        for (family, window) in internet.statistics?.connectTimes ?? [:] {
            evidence.servers.append(
                FaultEvidence.Server("the internet checks", family, window: window, showsLoss: false)
            )
        }
        guard let verdict = state.internet, verdict.degradedReasons.contains(.mtu) else { return }
        for family in verdict.families.keys where verdict.families[family] == .degraded {
            evidence.smallPackets[family] = .some(verdict.pathMTU[family])
        }
    }

    private func readHost(_ evidence: inout FaultEvidence) {
        evidence.host.processorPressure = SmallFile.text("\(procfs)/pressure/cpu").flatMap { text in
            // `some avg10=1.23 …` in percent (Documentation/accounting/psi.rst).
            text.split(separator: " ", maxSplits: 2).first { $0.hasPrefix("avg10=") }
                .flatMap { Double($0.dropFirst("avg10=".count)) }.map { $0 / 100 }
        }
    }
}
