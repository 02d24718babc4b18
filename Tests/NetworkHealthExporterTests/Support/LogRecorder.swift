import Logging

/// What is logged, for a test that awaits it.
struct LogRecorder: Sendable {
    private struct Handler: LogHandler {
        let lines: AsyncStream<String>.Continuation
        let showsMetadata: Bool
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let values = showsMetadata ? event.metadata ?? [:] : [:]
            let words = values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            lines.yield((["\(event.level) \(event.message)"] + words).joined(separator: " "))
        }
    }

    let logger: Logger
    private let lines: AsyncStream<String>

    init(showsMetadata: Bool = false) {
        let (stream, continuation) = AsyncStream<String>.makeStream()
        lines = stream
        logger = Logger(label: "test") { _ in Handler(lines: continuation, showsMetadata: showsMetadata) }
    }

    /// The next line.
    func next() async -> String? { await lines.first { _ in true } }
}
