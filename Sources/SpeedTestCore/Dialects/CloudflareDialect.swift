import HTTPTransfer

/// speed.cloudflare.com: `/__down?bytes=N` and `/__up`.
struct CloudflareDialect: SpeedTestDialect {
    private let base: String

    init(base: WebURL) { self.base = base.base }

    /// From 100 MB on both are refused.
    var largest: (download: UInt64, upload: UInt64) { (99_999_999, 99_999_999) }

    func ping() -> SpeedTestRequest {
        SpeedTestRequest(url: "\(base)/__down?bytes=0", headers: DialectRequest.headers)
    }

    func isPong(_ response: SpeedTestResponse) -> Bool { response.status == 200 && response.body.isEmpty }

    func download(bytes: UInt64) -> SpeedTestRequest {
        SpeedTestRequest(
            url: "\(base)/__down?bytes=\(bytes)",
            headers: DialectRequest.headers,
            timeout: DialectRequest.loadTimeout
        )
    }

    func upload(bytes: UInt64, id: String) -> SpeedTestRequest {
        SpeedTestRequest(
            url: "\(base)/__up?bytes=\(bytes)",
            headers: DialectRequest.uploadHeaders,
            timeout: DialectRequest.loadTimeout
        )
    }

    /// `Server-Timing`: `cfRequestDuration;dur=12.3`, or all of `cfSpeedEdge;dur=…, cfSpeedWorker;dur=…`; milliseconds.
    func serverTime(in response: SpeedTestResponse) -> Duration? {
        guard let header = response.headers["server-timing"] else { return nil }
        var (whole, parts): (Double?, Double) = (nil, 0)
        for metric in header.split(separator: ",") {
            let fields = metric.split(separator: ";").map { $0.filter { !$0.isWhitespace } }
            let milliseconds = fields.dropFirst().lazy.filter { $0.hasPrefix("dur=") }.compactMap {
                Double($0.dropFirst(4))
            }.first
            guard let name = fields.first, let milliseconds, milliseconds.isFinite else { continue }
            if name.hasPrefix("cfReqDur") || name == "cfRequestDuration" { whole = milliseconds }
            if name.hasPrefix("cfSpeed") { parts += milliseconds }
        }
        let milliseconds = whole ?? parts
        // What is less is noise, and nothing takes so long.
        return (0.01...60_000).contains(milliseconds) ? .seconds(milliseconds / 1000) : nil
    }
}
