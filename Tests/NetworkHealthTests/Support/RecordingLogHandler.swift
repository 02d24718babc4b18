import Logging
import NetworkHealth

/// Writes each line into a `CallLog`, with its level.
private struct RecordingLogHandler: LogHandler {
    let calls: CallLog
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { calls.add("\(event.level) \(event.message)") }
}

extension EvaluationLog {
    /// One that writes into `calls`.
    convenience init(_ calls: CallLog) {
        self.init(Logger(label: "test") { _ in RecordingLogHandler(calls: calls) })
    }
}
