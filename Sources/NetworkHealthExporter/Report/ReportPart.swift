import Coordination
import FoundationEssentials
import MicroHTTP

/// The report of a month, from the history: what a provider is shown.
///
/// Reads the history. No other part reads it.
struct ReportPart: Part {
    static let path = "/api/v1/report"
    /// The page has no script, and asks for nothing.
    private static let policy =
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    private let recorder: HistoryRecorder
    private let plans: Locked<Plans>
    private let settings: Settings

    init(_ context: PartContext, _ history: HistoryService) {
        (recorder, settings) = (history.recorder, context.settings)
        plans = Locked(context.configuration.plans)
    }

    func apply(_ configuration: Configuration) { plans.withLock { $0 = configuration.plans } }

    var routes: [Route] { [settings.route(.get, Self.path, "report", .waiting(answer))] }

    @Sendable func answer(_ request: Request) async -> Response {
        let query: ReportQuery
        do throws(HistoryQuery.Refusal) {
            query = try ReportQuery(request.query, now: Date.now.timeIntervalSince1970)
        } catch {
            return .error(error.message, status: 400)
        }
        do {
            let rows = try await recorder.rows(of: query.period)
            let report = Report(rows, of: query.period, plans: plans.withLock { $0 })
            let (bytes, type) = query.format.print(report)
            var response = Response.bytes(bytes, contentType: type, isCompressible: true)
            if query.format == .html {
                response.headers["Content-Security-Policy"] = Self.policy
                response.headers["Referrer-Policy"] = "no-referrer"
            }
            return response
        } catch {
            recorder.failedToRead(error)
            return .error("the history cannot be read; see the log", status: 500)
        }
    }
}

extension HistoryRecorder {
    /// What a report of that period is made from, with what waits to be written.
    func rows(of period: ReportPeriod) async throws -> Report.Rows {
        var rows = Report.Rows()
        rows.uptime = try await uptime(period.hours)
        rows.outages = try await all(OutageHistory.self, since: period.since) { $0.outages() }
        rows.uplinkOutages = try await all(UplinkOutageHistory.self, since: period.since) { $0.uplinkOutages }
        rows.tests = try await all(SpeedTestHistory.self, since: period.since) { _ in [] }
        let pages = try await pages(LatencyHistory.self, since: period.since) { $0.backlog.minutes }
        // Minutes become hours page by page; those of the last hour wait for the next page.
        var minutes: [LatencyRow] = []
        try await pages.each { page in
            minutes += page.filter { $0.at < period.until }
            let last = minutes.last.flatMap { HourlyUptime.hour($0.at) }
            let end = minutes.firstIndex { HourlyUptime.hour($0.at) == last } ?? 0
            rows.latency += LatencyRow.hours(of: Array(minutes[..<end]))
            minutes.removeFirst(end)
        }
        rows.latency += LatencyRow.hours(of: minutes)
        rows.points = try await all(PointHistory.self, since: period.since) { $0.backlog.points }
        return rows
    }

    private func all<Table: HistorySelection>(
        _ table: Table.Type,
        since: Double,
        waiting: @escaping @Sendable (HistoryRecorder) -> [Table.Row]
    ) async throws -> [Table.Row] {
        var rows: [Table.Row] = []
        try await pages(table, since: since, waiting: waiting).each { rows += $0 }
        return rows
    }
}
