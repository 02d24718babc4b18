import FoundationEssentials
import MicroHTTP
import NetworkHealth
import SpeedTestCore

/// `/api/v1/speedtest`: the last result, and the request that starts a test.
struct SpeedTestView: Sendable {
    static let path = "/api/v1/speedtest"

    let service: SpeedTestService
    let isAllowed: Bool
    let browsers: BrowserGuard

    /// The tests here, or those of the host; nil before the first.
    var document: SpeedTestDocument? { service.adopted ?? service.document }

    /// `GET`: the last test, failed or not, what tests use in a month, and the last good values.
    @Sendable func last(_ request: Request) -> Response {
        guard let document else { return .error("no speed test has run yet", status: 404) }
        return .json(document.json)
    }

    /// `POST`: requests a test now.
    @Sendable func start(_ request: Request) async -> Response {
        guard isAllowed else {
            return .error(Self.disabled, status: 403)
        }
        if let refusal = browsers.refusal(ofChange: request) { return .error("refused: \(refusal)", status: 403) }
        switch await service.request() {
        case .accepted: return .json(Array(#"{"status":"started"}"#.utf8), status: 202)
        case .inactive: return .error(inactive, status: 404)
        case .refused(let refusal, let seconds):
            return Self.response(refusal, for: seconds, service.costGap)
        }
    }

    /// The answer to a request that is refused; with `Retry-After` where the time of the next test is known.
    static func response(
        _ refusal: SpeedTestRefusal,
        for seconds: TimeInterval?,
        _ gap: CostGap = .noSource
    ) -> Response {
        var response = Response.error(text(refusal, for: seconds, gap), status: status(refusal))
        guard let seconds else { return response }
        response.headers["Retry-After"] = "\(max(1, Int(min(seconds, 86_400).rounded(.up))))"
        return response
    }

    /// Why no test can be started now, and for how many seconds where that is known; nil where one can.
    var refusal: (reason: String, seconds: TimeInterval?)? {
        switch service.answer() {
        // Without a server the flag has nothing to allow.
        case .inactive: (inactive, nil)
        case _ where !isAllowed: (Self.disabled, nil)
        case .accepted: nil
        // The page counts the seconds itself.
        case .refused(let refusal, let seconds): (Self.text(refusal, service.costGap), seconds)
        }
    }

    /// What a speed that counts needs here.
    var access: SpeedTestAccess {
        let lack = service.board.read(\.section.lack)
        return SpeedTestAccess(lack: lack?.step, isHostUp: service.isHostUp, isAllowed: isAllowed)
    }

    private static let disabled = "starting speed tests over HTTP is disabled: start with --web.enable-admin-api"
    private var inactive: String { service.board.read(\.section.lack)?.fact ?? "speed tests are not configured" }

    private static func text(_ refusal: SpeedTestRefusal, for seconds: TimeInterval?, _ gap: CostGap) -> String {
        let text = text(refusal, gap)
        guard let seconds else { return text }
        return "\(text): another is allowed in \(SpeedTestText.delay(seconds))"
    }

    private static func status(_ refusal: SpeedTestRefusal) -> Int {
        switch refusal {
        case .budget, .gap: 429
        case .storage: 507
        case .offline, .expensive, .costUnknown, .constrained, .running: 409
        }
    }

    private static func text(_ refusal: SpeedTestRefusal, _ gap: CostGap) -> String {
        switch refusal {
        case .running: "a speed test is running"
        case .budget: "the rest of the budget is less than a test needs"
        case .gap: "the last speed test began less than speedtest.min_gap ago"
        case .storage: "the bytes that a test would use cannot be stored in the file of --storage.path"
        // Also before the first result of the internet.
        case .offline: "the host is not online"
        case .expensive: "the path is expensive, and speedtest.on_expensive does not allow it"
        case .costUnknown: text(gap)
        case .constrained: "the path is constrained, and speedtest.on_constrained does not allow it"
        }
    }

    private static func text(_ gap: CostGap) -> String {
        let consequence = "the cost of the path is unknown, and speedtest.on_expensive does not allow a test"
        return switch gap {
        case .awaitsNetworkManager: "NetworkManager has not answered yet, so that \(consequence)"
        case .silentHost: "the exporter of \(FlagName.hostURL) does not answer, so that \(consequence)"
        case .noSource:
            "\(consequence): set \(FlagName.expensive), or \(FlagName.hostURL) to ask the exporter of the host"
        }
    }
}

extension SpeedTestAccess {
    /// - Parameters:
    ///   - lack: what has to be configured before a test can run here; nil: nothing.
    ///   - isHostUp: whether the exporter of the host answers, whose tests count where none run here; nil: none is configured.
    ///   - isAllowed: whether a test can be started over HTTP.
    init(lack: String?, isHostUp: Bool?, isAllowed: Bool) {
        self =
            switch (lack, isHostUp) {
            case (_?, true?): .needs("Speeds are those of the exporter of the host. Run a speed test there")
            case (_?, false?):
                .needs(
                    "Speeds are those of the exporter of the host, which does not answer. Check it, and \(FlagName.hostURL)"
                )
            case (let step?, nil): .needs(step)
            case (nil, _) where isAllowed: .open
            case (nil, _):
                .needs(
                    "Wait for the next scheduled test, or start the exporter with \(FlagName.enableAdminAPI) and run one"
                )
            }
    }
}
