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

    /// nil where no target beyond the gateway was probed on this uplink.
    package init?(_ reports: [TargetReport]) {
        let probed = reports.filter { !$0.target.isGateway && $0.statistics.window.count > 0 }
        let roundTrips = probed.filter(\.target.module.measuresRoundTrip)
        let windows = (roundTrips.isEmpty ? probed : roundTrips).map(\.statistics.window)
        self.init(windows)
    }

    /// The median over the families in which the internet was asked on this uplink; nil where it was not.
    package init?(_ statistics: InternetStatistics) {
        self.init(Array(statistics.connectTimes.values))
    }

    /// Of the last 100 packets to targets beyond the gateway, the share lost, 0 to 1: the median of the targets.
    ///
    /// A target that never answered is down itself and says nothing about the way. nil where none has a full window.
    package static func packetLoss(_ reports: [TargetReport]) -> Double? {
        reports.filter { !$0.target.isGateway && $0.target.module.measuresRoundTrip }.map(\.statistics.window)
            .filter(\.isFull).compactMap(\.lossRatio).filter { $0 < 1 }
            .median { ($0 + $1) / 2 }
    }

    private init?(_ windows: [SlidingWindow]) {
        guard !windows.isEmpty else { return nil }
        latency = windows.compactMap(\.median).median { ($0 + $1) / 2 }
        jitter = windows.compactMap(\.jitter).median { ($0 + $1) / 2 }
        lossRatio = windows.compactMap(\.lossRatio).median { ($0 + $1) / 2 }
    }
}
