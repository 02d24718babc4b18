import MicroHTTP

/// Apple's networkQuality (draft-ietf-ippm-responsiveness), its entry also at the web root.
enum NetworkQualityRoutes {
    /// The draft requires at least 8 GiB, of which a transfer sends what its limits allow.
    private static let largeSize: UInt64 = 8 << 30

    static func rows(_ answers: SpeedTestAnswers, base: String) -> [SpeedTestRow] {
        [
            .get("/.well-known/nq", atRoot: true) { request in
                answers.page(request) { configuration(request, base: base) }
            },
            .get("/nq/small") { request in
                answers.page(request) { .bytes([0x78], contentType: "application/octet-stream") }
            },
            .get("/nq/large") { request in answers.download(request, bytes: largeSize) },
            .post("/nq/upload") { request in answers.upload(request) { _ in .empty(status: 200) } },
        ]
    }

    /// The URLs of the three objects on the requested host, under the draft's names and those of deployed clients.
    private static func configuration(_ request: Request, base: String) -> Response {
        guard let host = request.headers["Host"], !host.isEmpty else {
            return .text("expected a Host header\n", status: 400)
        }
        let paths = [("small_%download_url", "small"), ("large_%download_url", "large"), ("%upload_url", "upload")]
        let urls = paths.flatMap { key, path in
            ["", "https_"].map { (key.replacing("%", with: $0), "http://\(host)\(base)/nq/\(path)") }
        }
        let document = Document(urls: Dictionary(uniqueKeysWithValues: urls))
        return .json(JSONDocument.encode(document))
    }

    private struct Document: Encodable {
        var version = 1
        var urls: [String: String]

        init(urls: [String: String]) { self.urls = urls }
    }
}
