import MicroHTTP
import SpeedTestCore

/// `/api/v1/speedtest`: the last result, and the one request that starts something.
struct SpeedTestView: Sendable {
    let service: SpeedTestService
    let isAllowed: Bool

    /// `GET`: the last test that was made, failed or not.
    @Sendable func last(_ request: Request) -> Response {
        guard let record = service.board.lastRecord else {
            return .error("no speed test was made yet", status: 404)
        }
        return .json(record.document.json)
    }

    /// `POST`: asks for one now.
    @Sendable func start(_ request: Request) async -> Response {
        guard isAllowed else {
            return .error("starting speed tests over HTTP is off: start with --web.enable-admin-api", status: 403)
        }
        guard !RequestOrigin.isForeign(request) else {
            return .error("refused: the request comes from another site", status: 403)
        }
        switch await service.request() {
        case .accepted: return .json(Array(#"{"status":"started"}"#.utf8), status: 202)
        case .inactive: return .error("no speed-test server is configured", status: 404)
        case .refused(let reason):
            return .error(Self.text(reason), status: Self.status(reason))
        }
    }

    private static func status(_ reason: SkipReason) -> Int {
        switch reason {
        case .budget, .gap: 429
        case .storage: 507
        case .offline, .expensive, .constrained, .window, .busy, .running: 409
        }
    }

    private static func text(_ reason: SkipReason) -> String {
        switch reason {
        case .running: "a speed test is running"
        case .budget: "what is left of the budget is less than a test needs"
        case .storage: "what a test would use of the budget cannot be stored in the file of --storage.path"
        case .offline: "the host is offline"
        case .expensive: "the path is expensive, and speedtest.on_expensive does not allow it"
        case .constrained: "the path is constrained, and speedtest.on_constrained does not allow it"
        case .busy: "the link is busy"
        case .window: "outside of speedtest.windows"
        case .gap: "the last test began less than speedtest.min_gap ago"
        }
    }
}
