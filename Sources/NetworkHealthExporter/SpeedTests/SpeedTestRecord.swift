import FoundationEssentials
import NetworkHealth
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

extension SpeedMeasurement {
    /// nil where no direction was measured.
    init?(_ record: SpeedTestRecord) {
        let (download, upload) = (record.document.download, record.document.upload)
        guard download != nil || upload != nil else { return nil }
        self.init(
            download: download.map { $0.speedMbps * 1e6 },
            upload: upload.map { $0.speedMbps * 1e6 },
            measuredAt: record.endedAt
        )
    }
}

extension HealthMonitor {
    /// Takes in what a test has found, for the uplink that it was made on.
    func learn(_ record: SpeedTestRecord) {
        guard let uplink = Uplink(name: record.uplink), let measurement = SpeedMeasurement(record) else { return }
        learn { $0.add(measurement, on: uplink, at: .now) }
    }
}
