import HTTPTransfer
import MicroHTTP
import Testing

@testable import NetworkHealthExporter

struct BrowserGuardTests {
    private static let browsers = BrowserGuard(
        names: KnownNames(
            allowed: ["Monitor.example", ".monitoring.svc"],
            externalURL: WebURL("https://status.example:8443/network"),
            own: ["edge-1"]
        )
    )
    private static let table = browsers.guarding(
        ["/metrics", "/health", "/config"].map { path in
            Route(.get, path, name: path, handler: .immediate { _ in .text("") })
        } + [
            Route(
                .post,
                "/own",
                name: "own",
                refusal: { _ in .text("own", status: 401) },
                handler: .immediate { _ in .text("") }
            )
        ],
        open: ["/health"],
        closed: ["/config"],
        answer: { path, status, message in .error("\(path) \(message)", status: status, asJSON: false) }
    )
    /// What browsers send, each alone: the version of the browser decides which.
    ///
    /// A page can change the languages and the `User-Agent`.
    private static let headersOfBrowsers = [
        ["Origin": "http://evil.example"], ["Sec-Fetch-Mode": "cors"], ["sec-fetch-dest": "empty"],
        ["SEC-FETCH-SITE": "same-origin"], ["Accept-Language": "*", "User-Agent": "x"],
        ["accept-language": "", "user-agent": ""],
        ["User-Agent": "Mozilla/5.0 (X11; Linux x86_64)"],
    ]

    private static func request(_ fields: [String: String], path: String = "/metrics") -> Request {
        var request = Request(method: .get, headers: [:])
        request.path = path
        for (name, value) in fields { request.headers.add(name, value) }
        return request
    }

    /// The answer that a request is refused with, from its headers.
    private static func refusal(_ path: String, _ fields: [String: String]) throws -> Response? {
        let route = try #require(table.first { $0.path == path })
        return route.refusal?(request(fields, path: path))
    }

    @Test(arguments: headersOfBrowsers)
    func `a request of a browser is answered by an address or a known name only`(fields: [String: String]) throws {
        let known = [
            "127.0.0.1:10319", "192.0.2.1", "[::1]:10319", "[2001:db8::1]", "localhost:10319", "LOCALHOST",
            "localhost.",
            "edge-1:10319", "monitor.example", "monitor.example.:8080", "status.example", "exporter.monitoring.svc:80",
            "a.b.Monitoring.svc.",
        ]
        for host in known {
            let refusal = try Self.refusal("/metrics", fields.merging(["Host": host]) { $1 })
            #expect(refusal == nil, "\(host)")
        }
        let unknown = [
            "evil.example", "evil.example:10319", "edge-1.evil.example", "127.0.0.1.evil.example", "", "[::1",
            "monitoring.svc",
            ".monitoring.svc", "evilmonitoring.svc", "x.monitoring.svc.evil.example", "a.edge-1",
        ]
        for host in unknown {
            let refusal = try #require(try Self.refusal("/metrics", fields.merging(["Host": host]) { $1 }), "\(host)")
            #expect(refusal.status == 403)
        }
    }

    @Test func `the answer has the name and the flag`() throws {
        let refusal = try #require(try Self.refusal("/metrics", ["Host": "exporter:10319", "Origin": "null"]))
        guard case .bytes(let bytes) = refusal.body else {
            Issue.record("\(refusal.body)")
            return
        }
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.hasPrefix("/metrics ") && text.contains("exporter:10319") && text.contains("--web.allowed-host"))
    }

    @Test(arguments: [
        [:], ["User-Agent": "Prometheus/2.42.0", "Accept": "text/plain"], ["User-Agent": "curl/8.9.1"],
        ["User-Agent": "kube-probe/1.33"], ["User-Agent": "app Mozilla/5.0"], ["Sec-Fetc": "x"],
        ["Accept-Language": "en"],
    ])
    func `a program without headers of browsers may use any name, but not for the configuration`(
        fields: [String: String]
    ) throws {
        let fields = fields.merging(["Host": "exporter.monitoring.svc.cluster.local:10319"]) { $1 }
        #expect(try Self.refusal("/metrics", fields) == nil)
        #expect(try Self.refusal("/config", fields)?.status == 403)
        // HTTP/1.0.
        #expect(try Self.refusal("/config", [:]) == nil)
    }

    @Test(arguments: headersOfBrowsers)
    func `health is answered whatever the name is`(fields: [String: String]) throws {
        #expect(try Self.refusal("/health", fields.merging(["Host": "evil.example"]) { $1 }) == nil)
    }

    @Test func `the name is checked before what the route itself refuses`() throws {
        #expect(try Self.refusal("/own", ["Host": "evil.example", "Origin": "null"])?.status == 403)
        #expect(try Self.refusal("/own", ["Host": "localhost", "Origin": "null"])?.status == 401)
        #expect(try Self.refusal("/own", ["Host": "evil.example"])?.status == 401)
    }

    @Test func `a page of another site changes nothing`() {
        let foreign = Self.request(["Host": "localhost", "Origin": "http://evil.example"])
        #expect(Self.browsers.refusal(ofChange: foreign) == "the request comes from another site")
        let own = Self.request(["Host": "localhost:1", "Origin": "http://localhost:1"])
        #expect(Self.browsers.refusal(ofChange: own) == nil)
    }
}
