import MicroHTTP
import SpeedTestCore

/// This project's own dialect, with counters of uploads.
enum SpeedLabRoutes {
    private static let defaultSize: UInt64 = 131_072

    static func rows(_ answers: SpeedTestAnswers) -> [SpeedTestRow] {
        [
            .get("/ping") { request in answers.page(request) { .json(Array(#"{"status":"pong"}"#.utf8)) } },
            .get("/download") { request in
                request.refusal(ofSize: "size")
                    ?? answers.download(request, bytes: request.size("size") ?? defaultSize)
            },
            .post("/upload") { request in
                answers.upload(request) { .json(Receipt(filename: $0.filename, size: $0.size).json) }
            },
            .get("/counters/*") { request in answers.page(request) { count(request, answers.server) } },
        ]
    }

    /// The answer to an upload.
    private struct Receipt: Encodable {
        @Nullable var filename: String?
        var size: UInt64
    }

    private static func count(_ request: Request, _ server: EmbeddedServer) -> Response {
        let name = String(request.path.split(separator: "/").last ?? "")
        guard let count = server.count(ofTest: name) else {
            return .text("unknown X-Test-Id\n", status: 404)
        }
        return .json(count.json)
    }
}
