import HTTPTransfer

/// This project's own: `/ping`, `/download?size=N`, `/upload`, `/counters/ID`.
struct SpeedlabDialect: SpeedTestDialect {
    private let base: String

    init(base: WebURL) { self.base = base.base }

    /// A server clamps a download to its own limit, and refuses an upload that announces more than it would take.
    var largest: (download: UInt64, upload: UInt64) { (1_000_000_000, 100_000_000) }

    func ping() -> SpeedTestRequest {
        SpeedTestRequest(url: "\(base)/ping", headers: DialectRequest.headers)
    }

    func isPong(_ response: SpeedTestResponse) -> Bool {
        response.status == 200 && String(decoding: response.body, as: UTF8.self).contains("\"pong\"")
    }

    func download(bytes: UInt64) -> SpeedTestRequest {
        SpeedTestRequest(
            url: "\(base)/download?size=\(bytes)",
            headers: DialectRequest.headers,
            timeout: DialectRequest.loadTimeout
        )
    }

    func upload(bytes: UInt64, id: String) -> SpeedTestRequest {
        var request = SpeedTestRequest(
            url: "\(base)/upload",
            headers: DialectRequest.uploadHeaders,
            timeout: DialectRequest.loadTimeout
        )
        request.headers["X-Test-Id"] = id
        return request
    }

    func counters(id: String) -> SpeedTestRequest? {
        SpeedTestRequest(url: "\(base)/counters/\(id)", headers: DialectRequest.headers)
    }
}
