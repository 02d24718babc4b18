import Logging

/// What is logged, for a test that awaits it.
struct LogRecorder: Sendable {
    private struct Handler: LogHandler {
        let lines: AsyncStream<String>.Continuation
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { lines.yield("\(event.level) \(event.message)") }
    }

    let logger: Logger
    private let lines: AsyncStream<String>

    init() {
        let (stream, continuation) = AsyncStream<String>.makeStream()
        lines = stream
        logger = Logger(label: "test") { _ in Handler(lines: continuation) }
    }

    /// The next line.
    func next() async -> String? { await lines.first { _ in true } }
}
