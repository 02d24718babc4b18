import HTTPTransfer
import MicroHTTP

/// Apple's networkQuality (draft-ietf-ippm-responsiveness), its entry also at the web root.
enum NetworkQualityRoutes {
    /// The draft requires at least 8 GiB, of which a transfer sends what its limits allow.
    private static let largeSize: UInt64 = 8 << 30

    /// - Parameters:
    ///   - answers: the answers of all dialects.
    ///   - base: the path of the server.
    ///   - external: the URL of this exporter behind a proxy; nil: it is not known.
    /// - Returns: its paths.
    static func rows(_ answers: SpeedTestAnswers, base: String, external: WebURL?) -> [SpeedTestRow] {
        [
            .get("/.well-known/nq", atRoot: true) { request in
                answers.page(request) { configuration(request, base: base, external: external) }
            },
            .get("/nq/small") { request in
                answers.page(request) { .bytes([0x78], contentType: "application/octet-stream") }
            },
            .get("/nq/large") { request in answers.download(request, bytes: largeSize) },
            .post("/nq/upload") { request in answers.upload(request) { _ in .empty(status: 200) } },
        ]
    }

    /// The URLs of the three objects, under the draft's names and those of deployed clients, which require TLS.
    ///
    /// The former have the requested host; the latter have the external URL, where one is configured.
    private static func configuration(_ request: Request, base: String, external: WebURL?) -> Response {
        guard let host = request.headers["Host"], !host.isEmpty else {
            return .text("expected a Host header\n", status: 400)
        }
        var folder = "\(request.isTLS ? "https" : "http")://\(host)\(base)"
        var secureFolder = folder
        if let external {
            let path = external.path.hasSuffix("/") ? String(external.path.dropLast()) : external.path
            secureFolder = "\(external.origin)\(path)/speedtest"
            // A request that came through the proxy.
            if host.lowercased() == external.authority.lowercased() { folder = secureFolder }
        }
        let paths = [("small_%download_url", "small"), ("large_%download_url", "large"), ("%upload_url", "upload")]
        let urls = paths.flatMap { key, path in
            [("", folder), ("https_", secureFolder)].map { (key.replacing("%", with: $0), "\($1)/nq/\(path)") }
        }
        return .json(Document(urls: Dictionary(uniqueKeysWithValues: urls)).json)
    }

    private struct Document: Encodable {
        var version = 1
        var urls: [String: String]
    }
}
