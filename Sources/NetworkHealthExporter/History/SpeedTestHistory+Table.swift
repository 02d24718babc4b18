import FoundationEssentials
import PrometheusExposition
import SpeedTestCore
import Storage

extension SpeedTestHistory: HistoryTable {
    static let time = "started_at"
    static let newest = "SELECT max(started_at) FROM speedtest"
    static let selection = """
        SELECT * FROM speedtest WHERE started_at >= ?1 AND (started_at, id) > (?1, ?2)
        ORDER BY started_at, id LIMIT ?3
        """
    /// The newest good test of each server stays, whatever its age: the next start reads it.
    static let deletion = """
        DELETE FROM speedtest WHERE id IN (
            SELECT id FROM speedtest WHERE started_at < ? AND id NOT IN (
                SELECT max(id) FROM speedtest WHERE failure IS NULL AND NOT latency_only GROUP BY server
            ) LIMIT ?
        )
        """

    static func row(_ row: SQLRow) -> SpeedTestRecord? { record(row) }
}

extension SpeedTestRecord: HistoryRow {
    static let columns =
        ["server", "protocol", "host", "startedAt", "durationSeconds", "pingLatencySeconds", "pingJitterSeconds"]
        + Direction.allCases.flatMap { direction in
            [
                "SpeedMbps", "BytesTransferred", "DurationSeconds", "LoadedLatencySeconds", "ResponsivenessRpm",
                "Stable", "LimitedBy", "CongestionControl",
            ].map { direction.rawValue + $0 }
        } + ["error"]

    /// Its end: from then on `/metrics` has it.
    var at: Double { endedAt.timeIntervalSince1970 }

    var fields: [String?] {
        [
            document.server, document.protocol.rawValue, document.host,
            RFC3339.text(startedAt.timeIntervalSince1970), "\(document.durationSeconds)",
            document.ping.map { "\($0.latencySeconds)" }, document.ping.map { "\($0.jitterSeconds)" },
        ] + Direction.allCases.flatMap { Self.fields(document[$0]) } + [document.error]
    }

    var families: [MetricFamily] { SpeedTestMetrics.measured([self]) }

    private static func fields(_ transfer: SpeedTestDocument.Transfer?) -> [String?] {
        guard let transfer else { return Array(repeating: nil, count: 8) }
        return [
            "\(transfer.speedMbps)", "\(transfer.bytesTransferred)", "\(transfer.durationSeconds)",
            transfer.loadedLatencySeconds.map { "\($0)" }, transfer.responsivenessRpm.map { "\($0)" },
            "\(transfer.stable)", transfer.limitedBy.map(\.rawValue).joined(separator: " "),
            transfer.congestionControl,
        ]
    }
}
