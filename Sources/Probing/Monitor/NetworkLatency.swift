import Statistics

/// The network's latency, jitter and loss, whoever measured them.
package struct NetworkLatency: Sendable, Equatable {
    package var latency: Duration?
    package var jitter: Duration?
    /// From 0 to 1.
    package var lossRatio: Double?

    package init(latency: Duration? = nil, jitter: Duration? = nil, lossRatio: Double? = nil) {
        (self.latency, self.jitter, self.lossRatio) = (latency, jitter, lossRatio)
    }

    /// nil where no target beyond the gateway has answered on this uplink: one that never does is down itself, and says
    /// nothing about the way.
    package init?(_ reports: [TargetReport]) {
        let counting = Self.counting(reports)
        self.init(counting.map(\.statistics.window))
        if !Self.showsLoss(counting) { lossRatio = nil }
    }

    /// Those that have answered on this uplink, without the gateway: where some measure round trips, only these.
    static func counting(_ reports: [TargetReport]) -> [TargetReport] {
        let answering = reports.filter { !$0.target.isGateway && $0.statistics.window.median != nil }
        let roundTrips = answering.filter(\.target.module.measuresRoundTrip)
        return roundTrips.isEmpty ? answering : roundTrips
    }

    /// Whether a failed probe of these is a lost packet; a status that was not expected is none.
    static func showsLoss(_ counting: [TargetReport]) -> Bool {
        counting.contains { $0.target.module.measuresRoundTrip }
    }

    /// The median over the families in which the internet has answered on this uplink; nil where it has in none.
    package init?(_ statistics: InternetStatistics) {
        self.init(statistics.connectTimes.values.filter { $0.median != nil })
    }

    /// Of the last 100 packets to targets beyond the gateway, the share lost, 0 to 1: the median of the targets.
    ///
    /// A target whose last ten probes failed is down itself and says nothing about the way. nil where no other one has a
    /// full window.
    package static func packetLoss(_ reports: [TargetReport]) -> Double? {
        reports.filter { !$0.target.isGateway && $0.target.module.measuresRoundTrip }.map(\.statistics.window)
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
