import FoundationEssentials
import MicroHTTP

/// The paths of speed.cloudflare.com, also at the web root.
enum CloudflareRoutes {
    static func rows(_ answers: SpeedTestAnswers) -> [SpeedTestRow] {
        [
            .get("/__down", atRoot: true) { request in
                let began = ContinuousClock.now
                if let refusal = request.refusal(ofSize: "bytes") { return refusal }
                var response = answers.download(request, bytes: request.size("bytes") ?? 0)
                response.headers["Server-Timing"] = timing(began.duration(to: .now))
                return response
            },
            .post("/__up", atRoot: true) { request in
                answers.upload(request) { body in
                    var response = Response.text("OK")
                    response.headers["Server-Timing"] = timing(body.handling)
                    return response
                }
            },
            .get("/cdn-cgi/trace", atRoot: true) { request in answers.page(request) { .text(trace(request)) } },
            .get("/meta", atRoot: true) { request in
                answers.page(request) { .json(Meta(clientIp: request.peer).json) }
            },
        ]
    }

    /// The server's own time, which clients subtract from their measurement; without the time in which a body arrives.
    private static func timing(_ duration: Duration) -> String {
        let microseconds = Int(duration / .microseconds(1))
        let fraction = "\(1000 + microseconds % 1000)".dropFirst()
        return "cfRequestDuration;dur=\(microseconds / 1000).\(fraction)"
    }

    /// The values that clients read; data centre, country and the version of TLS are not known.
    private static func trace(_ request: Request) -> String {
        let host = request.headers["Host"] ?? ""
        return """
            h=\(host)
            ip=\(request.peer)
            ts=\(Date.now.timeIntervalSince1970)
            visit_scheme=\(request.isTLS ? "https" : "http")
            colo=\(Meta.Colo().iata)
            http=http/1.1
            loc=XX
            tls=\(request.isTLS ? "on" : "off")

            """
    }

    /// The locations of client and server, which are not known (`XX` and `XXX` are unassigned codes).
    private struct Meta: Encodable {
        struct Colo: Encodable {
            var iata = "XXX"
            var city = ""
            var cca2 = "XX"
        }

        var clientIp: String
        var country = "XX"
        var city = ""
        var region = ""
        var asOrganization = ""
        var colo = Colo()
    }
}
