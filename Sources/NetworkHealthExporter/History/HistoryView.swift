import FoundationEssentials
import MicroHTTP

/// `/api/v1/history`: what storage holds, with what waits to be written.
struct HistoryView: Sendable {
    let recorder: HistoryRecorder

    @Sendable func answer(_ request: Request) async -> Response {
        do throws(HistoryQuery.Refusal) {
            return await answer(try HistoryQuery(request.query, now: Date.now.timeIntervalSince1970))
        } catch {
            return .error(error.message, status: 400)
        }
    }

    private func answer(_ query: HistoryQuery) async -> Response {
        do {
            switch query.kind {
            case .transitions:
                return try await response(TransitionHistory.self, query) { $0.backlog.transitions }
            case .outages:
                return try await response(OutageHistory.self, query) { $0.outages() }
            case .uplinkOutages:
                return try await response(UplinkOutageHistory.self, query) { $0.uplinkOutages }
            case .gaps:
                return try await response(GapHistory.self, query) { $0.backlog.gaps }
            case .latency:
                return try await response(LatencyHistory.self, query) { $0.backlog.minutes }
            case .points:
                return try await response(PointHistory.self, query) { $0.backlog.points }
            case .speedtests:
                return try await response(SpeedTestHistory.self, query) { _ in [] }
            }
        } catch {
            recorder.failedToRead(error)
            return .error("the history cannot be read; see the log", status: 500)
        }
    }

    /// A long answer is a stream, which needs memory for a page and can end early.
    private func response<Table: HistorySelection>(
        _ table: Table.Type,
        _ query: HistoryQuery,
        waiting: @escaping @Sendable (HistoryRecorder) -> [Table.Row]
    ) async throws -> Response {
        let format = query.format
        let pages = try await recorder.pages(table, since: query.since, waiting: waiting)
        guard pages.isShort else {
            let body = Response.Body.stream { writer in try await format.print(pages) { try await writer.write($0) } }
            return Response(headers: ["Content-Type": format.contentType], body: body)
        }
        var bytes: [UInt8] = []
        try await format.print(pages) { bytes += $0 }
        return .bytes(bytes, contentType: format.contentType, isCompressible: true)
    }
}
