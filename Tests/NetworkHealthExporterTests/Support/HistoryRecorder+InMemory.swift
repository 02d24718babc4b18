import Logging
import Storage

@testable import NetworkHealthExporter

extension HistoryRecorder {
    /// A recorder with an empty database of its own.
    static func inMemory() throws -> HistoryRecorder {
        HistoryRecorder(database: try Database(file: nil, schema: .exporter), logger: Logger(label: "test"))
    }
}
