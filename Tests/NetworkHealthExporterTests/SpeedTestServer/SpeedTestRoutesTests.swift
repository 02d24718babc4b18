import Foundation
import HTTPTransfer
import Lab
import MicroHTTP
import SpeedTestCore
import Statistics
import Testing

@testable import NetworkHealthExporter

struct SpeedTestRoutesTests {
    private static func table(_ limits: ServerLimits? = ServerLimits(), prefix: String = "/net") -> [Route] {
        SpeedTestRoutes(answers: SpeedTestAnswers(server: EmbeddedServer(limits: limits)), prefix: prefix).table
    }

    /// The row for a request, if one wants it.
    private static func row(_ table: [Route], _ method: Method, _ path: String) -> Route? {
        table.first { $0.method == method && $0.path == path && ($0.when?(Request(method: method)) ?? true) }
    }

    private static func get(
        _ path: String,
        query: [(String, String)] = [],
        headers: Headers = ["Host": "h:1"],
        method: Method = .get,
        limits: ServerLimits = ServerLimits(),
        isTLS: Bool = false
    ) throws -> Response {
        let route = try #require(Self.row(table(limits), method == .head ? .get : method, path), "\(path)")
        guard case .immediate(let answer) = route.handler else { throw CancellationError() }
        let items = query.map { Request.QueryItem(name: $0, value: $1) }
        var request = Request(method: method, path: path, query: items, headers: headers, peer: "127.0.0.1")
        request.isTLS = isTLS
        return answer(request)
    }

    private static func size(_ response: Response) -> UInt64? {
        switch response.body {
        case .repeating(let bytes): bytes.count
        case .bytes(let bytes): bytes.isEmpty ? 0 : nil
        default: nil
        }
    }

    private static func text(_ response: Response) -> String {
        guard case .bytes(let bytes) = response.body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `every path of the contract exists, and none while the server is off`() {
        let below = [
            "/ping", "/download", "/garbage.php", "/garbage", "/backend/garbage.php", "/empty.php", "/empty",
            "/backend/empty", "/getIP.php", "/getIP", "/backend/getIP", "/__down", "/cdn-cgi/trace", "/meta",
            "/.well-known/nq", "/ndt/v7/download", "/ndt/v7/upload", "/speedtest/latency.txt",
            "/speedtest/random350x350.jpg", "/speedtest/random4000x4000.jpg", "/latency.txt",
        ]
        let roots = ["/__down", "/cdn-cgi/trace", "/meta", "/.well-known/nq", "/ndt/v7/download", "/ndt/v7/upload"]
        let uploads = ["/upload", "/empty.php", "/empty", "/backend/empty.php", "/__up", "/speedtest/upload.php"]
        let paths: [(Method, String)] =
            below.map { (.get, "/net/speedtest\($0)") } + roots.map { (.get, $0) }
            + uploads.map { (.post, "/net/speedtest\($0)") } + [(.post, "/__up"), (.get, "/net/speedtest/counters/*")]
        for (method, path) in paths {
            #expect(Self.row(Self.table(), method, path) != nil, "\(method) \(path)")
            #expect(Self.row(Self.table(), .options, path) != nil, "OPTIONS \(path)")
            #expect(Self.row(Self.table(nil), method, path) == nil, "\(path) while off")
        }
    }

    @Test func `no flag may put the metrics on a path of the server`() {
        for route in Self.table(prefix: "") where !route.path.contains("*") {
            #expect(!WebServer.isFree(route.path), "\(route.path)")
        }
        #expect(WebServer.isFree("/metrics") && WebServer.isFree("/speed"))
    }

    @Test(
        arguments: [
            ("/net/speedtest/download", [], 131_072), ("/net/speedtest/download", [("size", "7")], 7),
            ("/net/speedtest/download", [("size", "2MB")], 2_000_000),
            ("/net/speedtest/download", [("size", "1TB")], 1_000_000_000),
            ("/net/speedtest/download", [("size", "99999999999999999999999")], 1_000_000_000),
            ("/net/speedtest/garbage", [], 4 << 20), ("/net/speedtest/garbage", [("ckSize", "0")], 4 << 20),
            ("/net/speedtest/garbage", [("ckSize", "-1")], 4 << 20),
            ("/net/speedtest/garbage", [("ckSize", "100")], 100 << 20),
            ("/net/speedtest/garbage", [("ckSize", "5000")], 1_000_000_000),
            ("/__down", [("bytes", "0")], 0), ("/__down", [("bytes", "100")], 100),
            ("/net/speedtest/nq/large", [], 1_000_000_000),
            ("/net/speedtest/random350x350.jpg", [("x", "1")], 245_388),
        ] as [(String, [(String, String)], UInt64)]
    )
    func `sizes are as requested, within the limits`(path: String, query: [(String, String)], size: UInt64) throws {
        let response = try Self.get(path, query: query)
        #expect(response.status == 200)
        #expect(Self.size(response) == size)
        #expect(response.congestionControlField == "X-Congestion-Control")
        if size > 0 { #expect(Self.size(try Self.get(path, query: query, method: .head)) == size) }
    }

    @Test(arguments: ["/net/speedtest/download?size", "/__down?bytes"])
    func `an invalid size is refused`(target: String) throws {
        let parts = target.split(separator: "?").map(String.init)
        for text in ["", "x", "-1", "1.5.5MB"] {
            #expect(try Self.get(parts[0], query: [(parts[1], text)]).status == 400, "\(text)")
        }
    }

    @Test func `small answers are what each client reads`() throws {
        #expect(Self.text(try Self.get("/net/speedtest/ping")) == #"{"status":"pong"}"#)
        #expect(Self.text(try Self.get("/net/speedtest/empty.php")).isEmpty)
        #expect(
            Self.text(try Self.get("/net/speedtest/getIP")) == #"{"processedString":"127.0.0.1","rawIspInfo":""}"#
        )
        #expect(Self.text(try Self.get("/net/speedtest/nq/small")).utf8.count == 1)
        #expect(Self.text(try Self.get("/net/speedtest/latency.txt")).hasPrefix("test=test"))
        #expect(Self.text(try Self.get("/net/speedtest/speedtest/upload.php")) == "size=0\n")
        let trace = Self.text(try Self.get("/cdn-cgi/trace"))
        #expect(trace.split(separator: "\n").allSatisfy { $0.split(separator: "=").count == 2 })
        #expect(trace.contains("ip=127.0.0.1\n") && trace.contains("visit_scheme=http\n"))
        #expect(Self.text(try Self.get("/cdn-cgi/trace", isTLS: true)).contains("visit_scheme=https\n"))
        let timing = try #require(try Self.get("/__down", query: [("bytes", "0")]).headers["Server-Timing"])
        #expect(timing.wholeMatch(of: /cfRequestDuration;dur=[0-9]+\.[0-9]{3}/) != nil, "\(timing)")
        #expect(try Self.get("/ndt/v7/download").status == 426, "no WebSocket was asked for")
    }

    @Test func `HEAD begins no WebSocket`() throws {
        let headers: Headers = [
            "Host": "h:1", "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol": "net.measurementlab.ndt.v7",
        ]
        #expect(try Self.get("/ndt/v7/download", headers: headers).status == 101)
        let response = try Self.get("/ndt/v7/download", headers: headers, method: .head)
        #expect(response.status == 405 && response.headers["Allow"] == "GET")
    }

    @Test func `networkquality returns the requested host, under both sets of keys`() throws {
        let response = try Self.get("/.well-known/nq", headers: ["Host": "h:1"])
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(Self.text(response).utf8)) as? [String: Any]
        )
        let urls = try #require(document["urls"] as? [String: String])
        #expect(document["version"] as? Int == 1)
        for key in ["small_download_url", "small_https_download_url"] {
            #expect(urls[key] == "http://h:1/net/speedtest/nq/small")
        }
        for key in ["large_download_url", "large_https_download_url"] {
            #expect(urls[key] == "http://h:1/net/speedtest/nq/large")
        }
        for key in ["upload_url", "https_upload_url"] { #expect(urls[key] == "http://h:1/net/speedtest/nq/upload") }
        #expect(try Self.get("/.well-known/nq", headers: [:]).status == 400)
    }

    @Test(arguments: [
        // Directly, and through the proxy, which is the host of the request then.
        ("192.0.2.1:10319", "http://192.0.2.1:10319/net/speedtest/nq/small"),
        ("Speed.example", "https://speed.example/a/b/speedtest/nq/small"),
    ])
    func `clients of networkquality that require TLS get the external URL`(host: String, plain: String) throws {
        for external in ["https://speed.example/a/b", "https://speed.example/a/b/"] {
            let table = SpeedTestRoutes(
                answers: SpeedTestAnswers(server: EmbeddedServer(limits: ServerLimits())),
                prefix: "/net",
                externalURL: WebURL(external)
            ).table
            let route = try #require(Self.row(table, .get, "/.well-known/nq"))
            guard case .immediate(let answer) = route.handler else { throw CancellationError() }
            let text = Self.text(answer(Request(headers: ["Host": host], peer: "127.0.0.1")))
            let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            let urls = try #require(object?["urls"] as? [String: String])
            #expect(urls["small_download_url"] == plain)
            #expect(urls["small_https_download_url"] == "https://speed.example/a/b/speedtest/nq/small")
            #expect(urls["large_https_download_url"] == "https://speed.example/a/b/speedtest/nq/large")
            #expect(urls["https_upload_url"] == "https://speed.example/a/b/speedtest/nq/upload")
        }
    }

    @Test func `other sites' pages are refused unless listed, and then may read`() throws {
        var limits = ServerLimits()
        limits.origins = ["https://a.example"]
        let foreign: Headers = ["Host": "h:1", "Origin": "https://b.example"]
        let listed: Headers = ["Host": "h:1", "Origin": "https://a.example", "Sec-Fetch-Site": "cross-site"]
        let image: Headers = ["Host": "h:1", "Sec-Fetch-Site": "cross-site"]
        // Over plain HTTP a browser says no more of an image than this, and the page can leave out the first.
        let plainImages: [Headers] = [
            ["Host": "h:1", "Referer": "http://b.example/page", "Accept-Language": "en"],
            ["Host": "h:1", "Accept-Language": "en", "Accept": "image/webp", "User-Agent": "Mozilla/5.0"],
        ]
        let own: Headers = ["Host": "h:1", "Referer": "http://h:1/", "Accept-Language": "en"]
        for path in ["/net/speedtest/download", "/net/speedtest/ping", "/__down", "/meta"] {
            #expect(try Self.get(path, headers: foreign, limits: limits).status == 403, "\(path)")
            #expect(try Self.get(path, headers: image, limits: limits).status == 403, "\(path)")
            for image in plainImages {
                #expect(try Self.get(path, headers: image, limits: limits).status == 403, "\(path)")
            }
            #expect(try Self.get(path, headers: own, limits: limits).status == 200, "\(path)")
            let allowed = try Self.get(path, headers: listed, limits: limits)
            #expect(allowed.status == 200)
            #expect(allowed.headers["Access-Control-Allow-Origin"] == "https://a.example")
            #expect(try Self.get(path, limits: limits).headers["Access-Control-Allow-Origin"] == nil)
            #expect(try Self.get(path, headers: foreign, method: .options, limits: limits).status == 403)
            #expect(try Self.get(path, headers: listed, method: .options, limits: limits).status == 204)
        }
    }

    private static func admit(_ table: [Route], _ path: String, headers: Headers) throws -> Route.Admission {
        let route = try #require(Self.row(table, .post, path), "\(path)")
        guard case .sink(let admit) = route.handler else { throw CancellationError() }
        return admit(Request(method: .post, path: path, headers: headers, peer: "127.0.0.1"))
    }

    /// What takes an upload that must be accepted.
    private static func accept(_ table: [Route], _ path: String, headers: Headers) throws -> any BodySink {
        let admission = try admit(table, path, headers: headers)
        guard case .accept(let sink) = admission else { throw Failure(description: "\(path): \(admission)") }
        return sink
    }

    @Test(arguments: [
        ("/net/speedtest/upload", #"{"filename":null,"size":1000}"#), ("/net/speedtest/empty.php", ""), ("/__up", "OK"),
        ("/net/speedtest/nq/upload", ""), ("/net/speedtest/speedtest/upload.php", "size=1000"),
    ])
    func `an upload is counted, and answered in its dialect`(path: String, answer: String) throws {
        let server = EmbeddedServer(limits: ServerLimits())
        let table = SpeedTestRoutes(answers: SpeedTestAnswers(server: server), prefix: "/net").table
        let sink = try Self.accept(table, path, headers: ["X-Test-Id": "t"])
        #expect(sink.deadline == .seconds(61))
        let piece = [UInt8](repeating: 1, count: 500)
        #expect(sink.receive(piece.span.bytes) == nil)
        #expect(server.count(ofTest: "t")?.bytes == 500, "as it arrives")
        #expect(server.statistics?.activeTransfers == 1)
        #expect(sink.receive(piece.span.bytes) == nil)
        let response = sink.finish()
        #expect(response.status == 200 && Self.text(response) == answer)
        #expect(server.statistics?.activeTransfers == 0 && server.statistics?.bytes.received == 1000)
    }

    @Test func `an upload past the limits is refused, before it or in it`() throws {
        var limits = ServerLimits()
        limits.maxBytes = 1000
        let server = EmbeddedServer(limits: limits)
        let table = SpeedTestRoutes(answers: SpeedTestAnswers(server: server), prefix: "").table
        let path = "/speedtest/upload"
        for (headers, status) in [
            (["Content-Length": "1001"], 413), (["Content-Length": "99999999999999999999"], 413),
            (["X-Test-Id": "a b"], 400), (["Origin": "https://a.example"], 403),
        ] as [(Headers, Int)] {
            guard case .refuse(let response, let discard) = try Self.admit(table, path, headers: headers) else {
                Issue.record("accepted \(headers)")
                continue
            }
            #expect(response.status == status)
            discard?(10)
        }
        #expect(server.statistics?.bytes.received == 40, "what arrives of a refused upload is counted")
        let sink = try Self.accept(table, path, headers: [:])
        let piece = [UInt8](repeating: 1, count: 1001)
        #expect(sink.receive(piece.span.bytes)?.status == 413)
        sink.abort()
        sink.discard(100)
        #expect(server.statistics?.activeTransfers == 0)
        #expect(server.statistics?.bytes.received == 1141)
    }

    @Test func `a download past the limits is refused or ended, with a Retry-After`() throws {
        var limits = ServerLimits()
        limits.maxClients = 1
        limits.maxBytesPerDay = 1000
        let server = EmbeddedServer(limits: limits)
        let answers = SpeedTestAnswers(server: server)
        let request = Request(headers: ["Host": "h"], peer: "127.0.0.1")
        let first = answers.download(request, bytes: 5000)
        guard case .repeating(let body) = first.body else { throw CancellationError() }
        #expect(body.count == 1000 && body.deadline == .seconds(61))
        let other = answers.download(Request(headers: ["Host": "h"], peer: "127.0.0.2"), bytes: 1)
        #expect(other.status == 503 && other.headers["Retry-After"] == "5")
        #expect(body.onSend(999))
        #expect(body.onSend(1), "the last ones of the day end it well")
        body.onEnd(true)
        let late = answers.download(request, bytes: 1)
        #expect(late.status == 503 && late.headers["Retry-After"].flatMap { Int($0) } ?? 0 > 86_000)
        #expect(answers.download(request, bytes: 0).status == 200, "a ping costs nothing")
        let stranger = answers.download(Request(headers: ["Host": "h"], peer: "8.8.8.8"), bytes: 1)
        #expect(stranger.status == 403)
        #expect(server.statistics?.rejected == [.clients: 1, .bytesPerDay: 1, .address: 1])
    }
}
