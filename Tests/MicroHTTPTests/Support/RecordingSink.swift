import Coordination

@testable import MicroHTTP

/// Counts what it gets, and keeps nothing.
final class RecordingSink: BodySink {
    /// What became of the sinks of a test.
    struct Record: Equatable {
        var pieces = 0
        var bytes = 0
        var largestPiece = 0
        var finished = 0
        var aborted = 0
        /// Bytes of refused bodies that were not read.
        var discarded = 0
    }

    let deadline: Duration
    private let limit: Int
    private let record: Locked<Record>

    init(_ record: Locked<Record>, deadline: Duration = .seconds(60), limit: Int = .max) {
        (self.record, self.deadline, self.limit) = (record, deadline, limit)
    }

    func receive(_ piece: RawSpan) -> Response? {
        let bytes = record.withLock { record in
            record.pieces += 1
            record.bytes += piece.byteCount
            record.largestPiece = max(record.largestPiece, piece.byteCount)
            return record.bytes
        }
        return bytes > limit ? .text("enough\n", status: 503) : nil
    }

    func finish() -> Response {
        let bytes = record.withLock { record in
            record.finished += 1
            return record.bytes
        }
        return .text("\(bytes)")
    }

    func abort() { record.withLock { $0.aborted += 1 } }

    func discard(_ count: Int) { record.withLock { $0.discarded += count } }

    /// A route at `/up` whose sinks write to `record`.
    static func route(
        _ record: Locked<Record>,
        deadline: Duration = .seconds(60),
        limit: Int = .max,
        refusing refuse: @escaping @Sendable (Request) -> Response? = { _ in nil }
    ) -> Route {
        Route(
            .post,
            "/up",
            name: "up",
            handler: .sink { request in
                if let refusal = refuse(request) {
                    return .refuse(refusal) { count in record.withLock { $0.discarded += count } }
                }
                return .accept(RecordingSink(record, deadline: deadline, limit: limit))
            }
        )
    }
}
