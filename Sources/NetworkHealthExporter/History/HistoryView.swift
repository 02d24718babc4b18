import Coordination
import FoundationEssentials
import Logging
import MicroHTTP

/// `/api/v1/history`: what storage holds, with what waits to be written.
struct HistoryView: Sendable {
    let recorder: HistoryRecorder
    let logger: Logger
    /// A client may ask again and again.
    private let failures = Locked(LocalFailureLog())
    private let stopwatch = Stopwatch(.suspending)

    @Sendable func answer(_ request: Request) async -> Response {
        do throws(HistoryQuery.Refusal) {
            return await answer(try HistoryQuery(request.query, now: Date.now.timeIntervalSince1970))
        } catch {
            return .error(error.message, status: 400)
        }
    }

    private func answer(_ query: HistoryQuery) async -> Response {
        do {
            let database = recorder.database
            switch query.kind {
            case .transitions:
                let table = TransitionHistory.self
                return try await Self.response(
                    HistoryPages(table, of: database, since: query.since, waiting: { recorder.backlog.transitions }),
                    query.format
                )
            case .outages:
                let table = OutageHistory.self
                return try await Self.response(
                    HistoryPages(table, of: database, since: query.since, waiting: { recorder.outages }),
                    query.format
                )
            case .uplinkOutages:
                let table = UplinkOutageHistory.self
                return try await Self.response(
                    HistoryPages(table, of: database, since: query.since, waiting: { recorder.uplinkOutages }),
                    query.format
                )
            case .gaps:
                let table = GapHistory.self
                return try await Self.response(
                    HistoryPages(table, of: database, since: query.since, waiting: { recorder.backlog.gaps }),
                    query.format
                )
            case .latency:
                let table = LatencyHistory.self
                return try await Self.response(
                    HistoryPages(table, of: database, since: query.since, waiting: { recorder.backlog.minutes }),
                    query.format
                )
            case .points:
                let table = PointHistory.self
                return try await Self.response(
                    HistoryPages(table, of: database, since: query.since, waiting: { recorder.backlog.points }),
                    query.format
                )
            case .speedtests:
                let table = SpeedTestHistory.self
                return try await Self.response(HistoryPages(table, of: database, since: query.since), query.format)
            }
        } catch {
            if let count = failures.withLock({ $0.failed(at: stopwatch.elapsed) }) {
                logger.warning("The history cannot be read: \(error)", metadata: ["count": "\(count)"])
            }
            return .error("the history cannot be read; see the log", status: 500)
        }
    }

    /// A long answer is a stream, which needs memory for a page and can end early.
    private static func response<Table: HistorySelection>(
        _ pages: HistoryPages<Table>,
        _ format: HistoryFormat
    ) async throws -> Response {
        guard pages.isShort else {
            let body = Response.Body.stream { writer in try await format.print(pages) { try await writer.write($0) } }
            return Response(headers: ["Content-Type": format.contentType], body: body)
        }
        var bytes: [UInt8] = []
        try await format.print(pages) { bytes += $0 }
        return .bytes(bytes, contentType: format.contentType, isCompressible: true)
    }
}
