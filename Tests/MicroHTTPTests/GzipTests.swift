import Foundation
import Lab
import Testing

@testable import MicroHTTP

@Suite(.timeLimit(.minutes(1)))
struct GzipTests {
    private static let text = (0..<500).map { "metric{name=\"\($0)\"} \($0 * 7)\n" }.joined()
    private static let routes = [
        Route(.get, "/long", name: "long", handler: .immediate { _ in .text(text) }),
        Route(.get, "/short", name: "short", handler: .immediate { _ in .text("short") }),
        Route(
            .get,
            "/vary",
            name: "vary",
            handler: .immediate { _ in
                var response = Response.text(text)
                response.headers["Vary"] = "Accept"
                return response
            }
        ),
        Route(.get, "/plain", name: "plain", handler: .immediate { _ in .bytes(Array(text.utf8), contentType: "x/y") }),
    ]

    @Test func `sends what curl inflates to the same bytes`() async throws {
        try await serving(Self.routes) { port in
            for _ in 0..<3 {
                let body = try await blocking { try Self.curl("--compressed", port, "/long") }
                #expect(body == Self.text)
                // The same request, undecoded, is a gzip file.
                let raw = try await blocking { try Self.curl("-HAccept-Encoding: gzip", port, "/long") }
                #expect(raw.utf8.count < Self.text.utf8.count)
            }
        }
    }

    @Test func `compresses only what both sides allow`() async throws {
        try await serving(Self.routes) { port in
            try await blocking {
                let client = try Client(port)
                let gzip = "Accept-Encoding: gzip\r\n"
                let long = try client.ask("GET", "/long", headers: gzip)
                #expect(long.headers["content-encoding"] == "gzip")
                #expect(long.headers["vary"] == "Accept-Encoding")
                #expect(long.body.starts(with: [0x1f, 0x8b]))
                let head = try client.ask("HEAD", "/long", headers: gzip)
                #expect(head.headers["content-length"] == "\(long.body.count)")
                let refused = try client.ask("GET", "/long", headers: "Accept-Encoding: gzip;q=0\r\n")
                #expect(refused.text == Self.text)
                #expect(refused.headers["vary"] == "Accept-Encoding")
                #expect(try client.ask("GET", "/vary", headers: gzip).headers["vary"] == "Accept, Accept-Encoding")
                for path in ["/short", "/plain"] {
                    let answer = try client.ask("GET", path, headers: gzip)
                    #expect(answer.headers["content-encoding"] == nil)
                    #expect(answer.headers["vary"] == nil)
                }
            }
        }
    }

    @Test func `Does not send a body compressed that does not shrink`() {
        guard let gzip = Gzip() else {
            Issue.record("zlib has no memory")
            return
        }
        var random = SystemRandomNumberGenerator()
        #expect(gzip.compress((0..<1000).map { _ in UInt8.random(in: 0...255, using: &random) }) == nil)
        #expect(gzip.compress([UInt8](repeating: 0, count: 1000)) != nil)
    }

    private static func curl(_ option: String, _ port: UInt16, _ path: String) throws -> String {
        let command = ["curl", "-sSf", "--noproxy", "*", option, "http://127.0.0.1:\(port)\(path)"]
        return String(decoding: try run(command), as: UTF8.self)
    }
}
