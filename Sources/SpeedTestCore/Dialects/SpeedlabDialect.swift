import HTTPTransfer

/// This project's own: `/ping`, `/download?size=N`, `/upload`, `/counters/ID`.
struct SpeedlabDialect: SpeedTestDialect {
    private let base: String

    init(base: WebURL) { self.base = base.base }

    /// A server limits a download, and refuses an upload that announces more than it accepts.
    var largest: (download: UInt64, upload: UInt64) { (1_000_000_000, 100_000_000) }

    func ping() -> SpeedTestRequest { .small("\(base)/ping") }

    func isPong(_ response: SpeedTestResponse) -> Bool {
        response.status == 200 && String(decoding: response.body, as: UTF8.self).contains("\"pong\"")
    }

    func download(bytes: UInt64) -> SpeedTestRequest { .download("\(base)/download?size=\(bytes)") }

    func upload(bytes: UInt64, id: String) -> SpeedTestRequest {
        var request = SpeedTestRequest.upload("\(base)/upload")
        request.headers["X-Test-Id"] = id
        return request
    }

    func counters(id: String) -> SpeedTestRequest? { .small("\(base)/counters/\(id)") }
}
