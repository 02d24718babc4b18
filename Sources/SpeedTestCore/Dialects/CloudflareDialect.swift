import HTTPTransfer

/// speed.cloudflare.com: `/__down?bytes=N` and `/__up`.
struct CloudflareDialect: SpeedTestDialect {
    private let base: String

    init(base: WebURL) { self.base = base.base }

    /// The server refuses both from 100 MB on.
    var largest: (download: UInt64, upload: UInt64) { (99_999_999, 99_999_999) }

    func ping() -> SpeedTestRequest { .small("\(base)/__down?bytes=0") }

    func isPong(_ response: SpeedTestResponse) -> Bool { response.status == 200 && response.body.isEmpty }

    func download(bytes: UInt64) -> SpeedTestRequest { .download("\(base)/__down?bytes=\(bytes)") }

    func upload(bytes: UInt64, id: String) -> SpeedTestRequest { .upload("\(base)/__up?bytes=\(bytes)") }

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
        // Shorter times are noise, and longer ones are not plausible.
        return (0.01...60_000).contains(milliseconds) ? .seconds(milliseconds / 1000) : nil
    }
}
