import Posix
package import Statistics

/// The network's latency, jitter and loss of now.
package struct NetworkLatency: Sendable, Equatable {
    /// The latency of now is that of this time, which also limits how long an ended outage or queue shows in it.
    package static let span = Duration.seconds(300)

    /// Of the last five minutes; with fewer than three values there, of the newest three of 15 minutes.
    package var latency: Duration?
    /// Of the last five minutes; nil with fewer than ten values there.
    package var jitter: Duration?
    /// Of the last 100 packets of at most 30 minutes, from 0 to 1; nil with fewer than 60.
    package var lossRatio: Double?

    package init(latency: Duration? = nil, jitter: Duration? = nil, lossRatio: Double? = nil) {
        (self.latency, self.jitter, self.lossRatio) = (latency, jitter, lossRatio)
    }

    /// The share of lost packets to the `icmp` targets that count, without any to the `tcp` ones: the median of the
    /// targets.
    ///
    /// A target whose last ten probes failed is down itself and does not count. nil if no target has enough packets.
    package static func packetLoss(_ reports: [TargetReport], at now: OutcomeWindow.Instant) -> Double? {
        let measured = reports.filter {
            $0.target.measuresRoundTrip && $0.countsForNetwork && $0.statistics.window.lossesInARow < 10
        }.map { ($0.target, $0.statistics.window.newest(100, since: now - .seconds(1800))) }
        return losing(measured.filter { $0.1.count >= 60 }).compactMap(\.lossRatio).median
    }

    /// What belongs to the targets whose lost packets count: the `icmp` ones, or without any the `tcp` ones.
    ///
    /// Both have the same loss, and are not averaged: some networks treat ICMP and TCP differently.
    static func losing<Value>(_ measured: [(target: Target, value: Value)]) -> [Value] {
        let pinged = measured.filter { $0.target.probe is ICMPProbe }
        return (pinged.isEmpty ? measured : pinged).map(\.value)
    }
}

/// The part of one window that belongs to the latency of now.
struct RecentLatency: Sendable {
    /// For few values, such as those of a target that is probed every few minutes.
    static let longSpan = Duration.seconds(900)
    private static let fewValues = 3
    /// The connections of one round are closer to each other: they are one measurement.
    private static let apart = Duration.seconds(1)
    private static let minJitterValues = 10

    /// The oldest first; never empty.
    private let values: [Duration]
    private let isComplete: Bool
    /// Whether it is measured often: the last two times are at most half of five minutes apart, and the last one is not
    /// older than that.
    ///
    /// Another source is preferred to a window that is not. Else the median of the few connections that the exporter opens
    /// while other traffic proves the internet would show a change after ten minutes.
    let isCurrent: Bool
    /// When the newest value was measured.
    let measuredAt: OutcomeWindow.Instant

    /// nil without a value in 15 minutes.
    init?(_ window: OutcomeWindow, at now: OutcomeWindow.Instant) {
        let recent = window.newestValues(since: now - NetworkLatency.span)
        isComplete = recent.count >= Self.fewValues
        values = isComplete ? recent : window.newestValues(since: now - Self.longSpan).suffix(Self.fewValues)
        guard !values.isEmpty, let last = window.lastValueAt else { return nil }
        measuredAt = last
        let runBegin = window.runBegin(gap: NetworkLatency.span / 2) ?? last
        isCurrent = recent.count > 1 && last >= now - NetworkLatency.span / 2 && runBegin <= last - Self.apart
    }

    var median: Duration? { values.median }
    var jitter: Duration? { isComplete && values.count >= Self.minJitterValues ? Outcomes(values).jitter : nil }
}

extension TargetReport {
    /// Whether its latency and loss are those of the network: a host of the local network says nothing about the internet.
    package var countsForNetwork: Bool {
        guard !target.isGateway else { return false }
        return target.countsForLatency ?? statistics.answeredFrom.map(GlobalAddresses.standard.contains) ?? false
    }
}
