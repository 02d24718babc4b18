import FoundationEssentials
import SpeedTestCore

/// One test that was made: its result, the way it was taken on, and what it has cost.
struct SpeedTestRecord: Sendable, Equatable {
    var document: SpeedTestDocument
    /// The uplink's name in the history; see `Uplink`.
    var uplink: String
    var failure: SpeedTestFailure.Reason?
    var traffic: TrafficAccount.Bytes
    /// Only the latency was asked for.
    var isLatencyOnly = false

    var startedAt: Date { document.startedAt }
    var endedAt: Date { document.startedAt + document.durationSeconds }
}

extension SpeedTestRecord {
    init(_ report: SpeedTestReport, uplink: String, isLatencyOnly: Bool) {
        self.init(
            document: SpeedTestDocument(report),
            uplink: uplink,
            failure: report.failure?.reason,
            traffic: report.traffic,
            isLatencyOnly: isLatencyOnly
        )
    }
}
