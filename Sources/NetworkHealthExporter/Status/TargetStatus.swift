import FoundationEssentials
import Probing
import Statistics

/// The configured targets: those that are down first; pure.
struct TargetStatuses: Encodable, Equatable {
    /// Targets that are listed: a configuration may have thousands.
    static let limit = 100

    var up = 0
    var down = 0
    /// Not probed yet, or nothing is known of them now.
    var unknown = 0
    var list: [TargetStatus]

    /// The router that is watched without a configuration is a station, not a target.
    init(_ reports: [TargetReport]) {
        let all = reports.filter { !$0.target.isBuiltIn }.map(TargetStatus.init)
        let byState = Dictionary(grouping: all, by: \.state)
        func those(_ state: TargetStatus.State) -> [TargetStatus] { byState[state] ?? [] }
        (up, down, unknown) = (those(.up).count, those(.down).count, those(.unknown).count)
        // In each state in the order of the configuration.
        list = Array((those(.down) + those(.unknown) + those(.up)).prefix(Self.limit))
    }
}

extension Target {
    /// Whether it pings the router: a name server there that does not answer says nothing about the router.
    var watchesRouter: Bool { isGateway && (isBuiltIn || probe is ICMPProbe) }
}

/// One target as a person reads it; unknown is `null`.
struct TargetStatus: Encodable, Equatable {
    enum State: String, CaseIterable, Encodable {
        case up, down, unknown
    }

    var name: String
    var module: String
    var state: State
    /// When the state began; null where that is not known.
    @Nullable var since: Date?
    @Nullable var lastProbedAt: Date?
    /// The median of the last 100 probes, without those of outages.
    @Nullable var latencySeconds: Double?
    @Nullable var lossRatio: Double?
    /// Why it is down: the label `reason` of the metrics.
    @Nullable var reason: String?
    /// Why it is down or unknown, as text.
    @Nullable var detail: String?
    /// Why it is not probed on this path.
    @Nullable var paused: String?

    init(_ report: TargetReport) {
        let statistics = report.statistics
        name = report.target.name
        module = report.target.module
        state = statistics.isUp.map { $0 ? .up : .down } ?? .unknown
        since = statistics.since
        lastProbedAt = statistics.lastProbedAt
        latencySeconds = statistics.lastProbes.median?.seconds.toMicroseconds
        lossRatio = statistics.lastProbes.lossRatio?.toFiveDigits
        if case .skip(let cost) = report.decision { paused = cost.rawValue }
        switch state {
        case .up: break
        case .down:
            reason = statistics.lastResult?.failure?.rawValue
            detail = statistics.lastResult.flatMap { $0.detail.isEmpty ? nil : $0.detail }
        case .unknown: detail = Self.unknown(statistics)
        }
    }

    private static func unknown(_ statistics: TargetStatistics) -> String {
        if let reason = statistics.inconclusive { return reason.sentence }
        return statistics.lastResult == nil ? "not probed yet" : "its last probes failed at a limit of this machine"
    }
}
