import Posix
import Statistics

/// The network's latency, jitter and loss.
package struct NetworkLatency: Sendable, Equatable {
    package var latency: Duration?
    package var jitter: Duration?
    /// From 0 to 1.
    package var lossRatio: Double?

    package init(latency: Duration? = nil, jitter: Duration? = nil, lossRatio: Double? = nil) {
        (self.latency, self.jitter, self.lossRatio) = (latency, jitter, lossRatio)
    }

    /// nil if no target beyond the gateway has answered on this uplink.
    ///
    /// A target that never answers is down itself and
    /// does not count.
    package init?(_ reports: [TargetReport]) {
        let counting = Self.counting(reports)
        self.init(counting.map(\.statistics.window))
        if !Self.showsLoss(counting) { lossRatio = nil }
    }

    /// The targets that have answered on this uplink, without the gateway; if some measure round trips, only these.
    static func counting(_ reports: [TargetReport]) -> [TargetReport] {
        let answering = reports.filter { !$0.target.isGateway && $0.statistics.window.median != nil }
        let roundTrips = answering.filter(\.target.measuresRoundTrip)
        return roundTrips.isEmpty ? answering : roundTrips
    }

    /// Whether a failed probe of these is a lost packet; an unexpected status is not.
    static func showsLoss(_ counting: [TargetReport]) -> Bool {
        counting.contains { $0.target.measuresRoundTrip }
    }

    /// The median over the families in which the internet has answered on this uplink; nil: in none.
    package init?(_ statistics: InternetStatistics) {
        self.init(statistics.connectTimes.values.filter { $0.median != nil })
    }

    /// The share of lost packets among the last 100 to each target beyond the gateway, 0 to 1: the median of the
    /// targets.
    ///
    /// A target whose last ten probes failed is down itself and does not count. nil if no other target has a full
    /// window.
    package static func packetLoss(_ reports: [TargetReport]) -> Double? {
        reports.filter { !$0.target.isGateway && $0.target.measuresRoundTrip }.map(\.statistics.window)
            .filter(\.isFull).filter { $0.lossesInARow < 10 }.compactMap(\.lossRatio)
            .median { ($0 + $1) / 2 }
    }

    private init?(_ windows: [SlidingWindow]) {
        guard !windows.isEmpty else { return nil }
        latency = windows.compactMap(\.median).median { ($0 + $1) / 2 }
        jitter = windows.compactMap(\.jitter).median { ($0 + $1) / 2 }
        lossRatio = windows.compactMap(\.lossRatio).median { ($0 + $1) / 2 }
    }
}

/// The sources of the network's latency, the best first: targets, internet checks, the traffic of other programs.
package struct LatencySources: Sendable {
    package var targets: [TargetReport]
    package var internet: InternetStatistics?
    package var passive: PassiveStatistics

    package init(
        targets: [TargetReport] = [],
        internet: InternetStatistics? = nil,
        passive: PassiveStatistics = PassiveStatistics()
    ) {
        (self.targets, self.internet, self.passive) = (targets, internet, passive)
    }

    /// The latency by the last probes; nil if nothing has answered.
    package var latency: NetworkLatency? {
        NetworkLatency(targets) ?? internet.flatMap(NetworkLatency.init)
            ?? passive.medianRTT.map { NetworkLatency(latency: $0) }
    }
}

/// Single measurements of the network's latency.
package enum LatencySamples: Sendable, Equatable {
    /// By target or family, the oldest first, nil for a failed probe; `showsLoss`: whether that is a lost packet.
    case probes([String: [Duration?]], showsLoss: Bool)
    /// The median over live TCP flows at one time.
    case flows(median: Duration)
}

/// Takes from the sources the measurements since the last reading, of those that count for `NetworkLatency`.
package struct LatencyReader: Sendable {
    /// How many outcomes of each window were read, also of those that do not count.
    private var read: [String: UInt64] = [:]
    private var readFlows: UInt64 = 0

    package init() {}

    /// The new measurements, of each window at most its capacity; nil if nothing counts or no flow had an answer.
    package mutating func samples(of sources: LatencySources) -> LatencySamples? {
        let families = sources.internet?.connectTimes ?? [:]
        var windows: [String: SlidingWindow] = [:]
        for report in sources.targets { windows["target \(report.target.name)"] = report.statistics.window }
        for (family, window) in families { windows["internet \(family)"] = window }
        let new = windows.map { name, window in
            // Fewer pushes than before: the window was restarted, as after a change of the uplink.
            let known = read[name].flatMap { $0 <= window.pushes ? $0 : nil } ?? 0
            return (name, window.newest(window.pushes - known))
        }
        read = windows.mapValues(\.pushes)
        let flows = sources.passive.rtt.counts.reduce(0, +)
        let hasNewFlows = flows != readFlows
        readFlows = flows

        let targets = NetworkLatency.counting(sources.targets)
        var counting = Set(targets.map { "target \($0.target.name)" })
        if targets.isEmpty {
            counting = Set(families.filter { $0.value.median != nil }.map { "internet \($0.key)" })
        }
        guard counting.isEmpty else {
            return .probes(
                Dictionary(uniqueKeysWithValues: new.filter { counting.contains($0.0) }),
                showsLoss: targets.isEmpty || NetworkLatency.showsLoss(targets)
            )
        }
        return hasNewFlows ? sources.passive.medianRTT.map { .flows(median: $0) } : nil
    }
}
