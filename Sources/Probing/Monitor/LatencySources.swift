package import Statistics

/// The sources of the network's latency.
package struct LatencySources: Sendable {
    package var targets: [TargetReport]
    package var internet: InternetStatistics?
    package var passive: PassiveStatistics
    /// What the exporter of the host has found on the line that both use; nil where none is followed.
    package var host: NetworkLatency?

    package init(
        targets: [TargetReport] = [],
        internet: InternetStatistics? = nil,
        passive: PassiveStatistics = PassiveStatistics(),
        host: NetworkLatency? = nil
    ) {
        (self.targets, self.internet, self.passive, self.host) = (targets, internet, passive, host)
    }

    /// Where a latency comes from, the best first.
    enum Kind: CaseIterable {
        /// To targets, of packets.
        case roundTrips
        /// To targets, of whole exchanges.
        case exchanges
        /// The connections of internet checks.
        case connects
        /// The traffic of other programs.
        case flows
    }

    /// The latency, jitter and loss of now; nil if nothing has answered lately.
    ///
    /// The host's latency gives way to targets here that are probed often, and its loss to any loss that is known here.
    package func latency(at now: OutcomeWindow.Instant) -> NetworkLatency? {
        var latency = NetworkLatency(lossRatio: NetworkLatency.packetLoss(targets, at: now) ?? host?.lossRatio)
        let counting = counting(at: now)
        if let host, host.latency != nil, !(counting.map(Self.goesBeforeHost) ?? false) {
            (latency.latency, latency.jitter) = (host.latency, host.jitter)
        } else if let (kind, parts) = counting {
            latency.latency = parts.values.compactMap(\.median).median
            // The median of many flows hides how much each of them varies.
            let jitters = kind == .flows ? [] : parts.values.compactMap(\.jitter)
            latency.jitter = jitters.median
        }
        return latency == NetworkLatency() ? nil : latency
    }

    /// How long ago the newest value of the latency was measured; nil without one, and where it is that of the host.
    package func age(at now: OutcomeWindow.Instant) -> Duration? {
        let counting = counting(at: now)
        if host?.latency != nil, !(counting.map(Self.goesBeforeHost) ?? false) { return nil }
        return counting?.parts.values.map(\.measuredAt).max().map { max(.zero, $0.duration(to: now)) }
    }

    private static func goesBeforeHost(_ counting: (kind: Kind, parts: [String: RecentLatency])) -> Bool {
        [.roundTrips, .exchanges].contains(counting.kind) && counting.parts.values.contains(where: \.isCurrent)
    }

    /// The best source that is measured often, with its windows that are; else the best one that has a value.
    func counting(at now: OutcomeWindow.Instant) -> (kind: Kind, parts: [String: RecentLatency])? {
        let sources = Kind.allCases.map { kind in
            (kind: kind, parts: windows(kind).compactMapValues { RecentLatency($0, at: now) })
        }
        let current = sources.lazy.map { (kind: $0.kind, parts: $0.parts.filter(\.value.isCurrent)) }
        return current.first { !$0.parts.isEmpty } ?? sources.first { !$0.parts.isEmpty }
    }

    /// Of these names of targets those whose lost packets are the network's loss.
    func losing(_ names: some Collection<String>) -> Set<String> {
        let measured = targets.map { ($0.target, Self.name(of: $0)) }.filter { names.contains($0.1) }
        return Set(NetworkLatency.losing(measured))
    }

    /// All windows of targets and of families, by name, also those that do not count.
    var probed: [String: OutcomeWindow] {
        let all = targets.map { (Self.name(of: $0), $0.statistics.window) } + families
        return Dictionary(all) { first, _ in first }
    }

    private func windows(_ kind: Kind) -> [String: OutcomeWindow] {
        switch kind {
        case .roundTrips, .exchanges:
            let counting = targets.filter {
                $0.target.measuresRoundTrip == (kind == .roundTrips) && $0.countsForNetwork
            }
            return Dictionary(counting.map { (Self.name(of: $0), $0.statistics.window) }) { first, _ in first }
        case .connects: return Dictionary(uniqueKeysWithValues: families)
        case .flows: return ["flows": passive.medians]
        }
    }

    private var families: [(String, OutcomeWindow)] {
        (internet?.connectTimes ?? [:]).map { ("internet \($0.key)", $0.value) }
    }

    private static func name(of report: TargetReport) -> String { "target \(report.target.name)" }
}
