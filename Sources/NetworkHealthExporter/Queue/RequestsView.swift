import Coordination
import FoundationEssentials
import HTTPTransfer
import MicroHTTP
import OfflineQueue
import StrictYAML

/// `/api/v1/requests`: applications hand requests over, and see what became of them.
struct RequestsView: Sendable {
    static let path = "/api/v1/requests"
    /// Of the JSON, which is larger than the body that it carries.
    static let bodyLimit = 8 << 20

    let queue: RequestQueue
    let activity: QueueActivity
    let prefix: String
    let browsers: BrowserGuard
    let configuration: @Sendable () -> OfflineQueueSection
    /// Whether a requirement of that name exists.
    let isRequirement: @Sendable (String) -> Bool
    private let refused = Locked(0)

    init(
        queue: RequestQueue,
        activity: QueueActivity,
        prefix: String,
        browsers: BrowserGuard,
        configuration: @escaping @Sendable () -> OfflineQueueSection,
        isRequirement: @escaping @Sendable (String) -> Bool
    ) {
        (self.queue, self.activity, self.prefix, self.browsers) = (queue, activity, prefix, browsers)
        (self.configuration, self.isRequirement) = (configuration, isRequirement)
    }

    /// How many requests were handed over while the queue is disabled.
    var refusals: Int { refused.withLock { $0 } }

    /// `POST /api/v1/requests`: stores a request; its answer follows when it is on the disk.
    @Sendable func enqueue(_ request: Request) async -> Response {
        let section = configuration()
        do {
            let handed = try HandedRequest(request.takeBody()).request(section, isRequirement: isRequirement)
            let accepted = try await queue.enqueue(handed)
            if accepted.isNew { activity.accepted(accepted.id) }
            var response = Response.json(
                Array(#"{"id":"\#(accepted.id.uuidString)"}"#.utf8),
                status: accepted.isNew ? 202 : 200
            )
            response.headers["Location"] = "\(prefix)\(Self.path)/\(accepted.id.uuidString)"
            return response
        } catch let error as HandedRequest.Mistake {
            return .error(error.message, status: 400)
        } catch {
            return .error("\(error)", status: (error as? OfflineError)?.status ?? 500)
        }
    }

    /// `GET /api/v1/requests`: all, in the order of their acceptance, without their bodies.
    @Sendable func list(_ request: Request) async -> Response {
        await answer { .json(try await entries().map(QueuedDocument.init).json) }
    }

    /// `GET /api/v1/requests/ID`.
    @Sendable func one(_ request: Request) async -> Response {
        await answer {
            guard let id = id(in: request), let entry = try await entry(id) else { return Self.unknown }
            return .json(QueuedDocument(entry).json)
        }
    }

    /// `DELETE /api/v1/requests`, and below it one of them.
    @Sendable func remove(_ request: Request) async -> Response {
        await answer {
            guard request.path != prefix + Self.path else {
                try await queue.reset(except: Webhook.requestType)
                return .empty(status: 204)
            }
            guard let id = id(in: request), try await entry(id) != nil, try await queue.cancelRequest(id: id) else {
                return Self.unknown
            }
            return .empty(status: 204)
        }
    }

    /// `POST /api/v1/requests/retry` and `/api/v1/requests/ID/retry`: ends the wait between two tries.
    @Sendable func retry(_ request: Request) async -> Response {
        let parts = request.path.dropFirst((prefix + Self.path).count).split(separator: "/")
        return await answer {
            switch (parts.count, parts.last) {
            case (1, "retry"): await queue.forceTriggerRetry()
            case (2, "retry"):
                guard let id = UUID(uuidString: String(parts[0])), try await entry(id) != nil,
                    await queue.retryRequest(id: id)
                else { return Self.unknown }
            default: return Self.unknown
            }
            return .empty(status: 202)
        }
    }

    // MARK: Who may

    /// The answer to a request that its headers refuse, so that its body is not kept; nil: they do not.
    @Sendable func refusal(of request: Request) -> Response? {
        let section = configuration()
        guard section.isEnabled else {
            if isHandedOver(request) { refused.withLock { $0 += 1 } }
            return .error("the queue is disabled: set offline_queue.enabled", status: 403)
        }
        if let token = section.bearerToken {
            guard BearerToken.isRight(request.headers["Authorization"], token) else {
                var response = Response.error(
                    "expected the bearer token of offline_queue.bearer_token_file",
                    status: 401
                )
                response.headers["WWW-Authenticate"] = "Bearer"
                return response
            }
        }
        if request.method == .get || request.method == .head { return nil }
        if let refusal = browsers.refusal(ofChange: request) { return .error("refused: \(refusal)", status: 403) }
        guard isHandedOver(request) else { return nil }
        let type = request.headers["Content-Type"]?.prefix { $0 != ";" }.lowercased() ?? ""
        guard type.filter({ $0 != " " }) == "application/json" else {
            return .error("expected Content-Type: application/json", status: 415)
        }
        let coding = request.headers["Content-Encoding"]?.lowercased() ?? "identity"
        if coding == "identity" { return nil }
        // RFC 9110, 15.5.16: 415 also for the coding, and the header says which one is taken.
        var response = Response.error("expected a body without Content-Encoding", status: 415)
        response.headers["Accept-Encoding"] = "identity"
        return response
    }

    private func isHandedOver(_ request: Request) -> Bool {
        request.method == .post && request.path == prefix + Self.path
    }

    // MARK: What there is

    private static let unknown = Response.error("there is no such request in the queue", status: 404)

    /// The requests of applications: webhooks are the exporter's own.
    private func entries() async throws -> [RequestQueue.Overview] {
        try await queue.overview().filter { $0.request.requestType != Webhook.requestType }
    }

    private func entry(_ id: UUID) async throws -> RequestQueue.Overview? {
        try await queue.overview(id: id).flatMap { $0.request.requestType == Webhook.requestType ? nil : $0 }
    }

    /// 507 where the file cannot be read or written.
    private func answer(_ body: () async throws -> Response) async -> Response {
        do {
            return try await body()
        } catch {
            let reason = if case OfflineError.storage(let reason) = error { reason } else { "\(error)" }
            return .error("the file of the queue cannot be read or written: \(reason)", status: 507)
        }
    }

    private func id(in request: Request) -> UUID? {
        UUID(uuidString: String(request.path.dropFirst((prefix + Self.path).count + 1)))
    }
}

/// A request in the queue, as JSON.
struct QueuedDocument: Encodable {
    var id: String
    /// Without user info and query, which may be credentials.
    var url: String
    var method: String
    var requestType: String
    var state: String
    var acceptedAt: Date
    /// Tries that an HTTP answer failed.
    var attempts: Int
    /// Why the last try did not deliver it.
    @Nullable var reason: String?
    @Nullable var lastStatus: Int?
    @Nullable var lastError: String?
    @Nullable var orderingKey: String?
    @Nullable var requirement: String?

    init(_ entry: RequestQueue.Overview) {
        let request = entry.request
        id = request.id.uuidString
        url = request.shownURL
        method = request.method
        requestType = request.requestType
        state = entry.isSending ? "sending" : "waiting"
        acceptedAt = request.timestamp
        attempts = request.retryCount
        reason = entry.lastFailure?.rawValue
        lastStatus = entry.lastStatus
        lastError = entry.lastError
        orderingKey = request.orderingKey
        requirement = request.requirement
    }
}

extension OfflineError {
    /// The status of the answer to an application.
    fileprivate var status: Int {
        switch self {
        case .tooLarge: 413
        case .full: 429
        case .storage: 507
        case .invalidRequest: 400
        case .forbidden: 403
        case .queued, .statusCode, .answerTooLarge, .forbiddenAddress: 500
        }
    }
}
