import Foundation
import Lab
import Testing

@testable import MicroHTTP

@Suite(.timeLimit(.minutes(3)))
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

    @Test func `compresses a body from the smallest size on, up to the largest`() async throws {
        let cases: [(count: Int, encoding: String?)] = [(999, nil), (1000, "gzip"), (2000, "gzip"), (2001, nil)]
        let routes = cases.map { each in
            let text = String(repeating: "x", count: each.count)
            return Route(.get, "/\(each.count)", name: "x", handler: .immediate { _ in .text(text) })
        }
        let configure: (inout Server.Configuration) -> Void = {
            ($0.compressionMinimum, $0.compressionMaximum) = (1000, 2000)
        }
        try await serving(routes, configure: configure) { port in
            try await blocking {
                let client = try Client(port)
                for (count, encoding) in cases {
                    let answer = try client.ask("GET", "/\(count)", headers: "Accept-Encoding: gzip\r\n")
                    #expect(answer.headers["content-encoding"] == encoding, "\(count) bytes")
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
        #expect(gzip.compress(.bytes((0..<1000).map { _ in UInt8.random(in: 0...255, using: &random) })) == nil)
        #expect(gzip.compress(.bytes([UInt8](repeating: 0, count: 1000))) != nil)
    }

    @Test func `parts, new and kept ones, are one gzip member with the checksum and the length of the whole`()
        async throws
    {
        let kept = BodyPart(Array(Self.text.utf8))
        let parts = [kept, BodyPart([]), BodyPart(Array("changes 1\n".utf8)), kept, BodyPart([0, 255, 10])]
        let whole = parts.flatMap(\.bytes)
        guard let gzip = Gzip() else { throw CancellationError() }
        for _ in 0..<2 {
            let compressed = gzip.compress(.parts(parts))
            let member = try #require(compressed)
            let script = """
                import base64, gzip, sys, zlib
                member = base64.b64decode(sys.stdin.read())
                one = zlib.decompressobj(31)
                text = one.decompress(member)
                assert one.eof and not one.unused_data and gzip.decompress(member) == text
                print(base64.b64encode(text).decode())
                """
            let decoded = try await blocking {
                try run(["python3", "-c", script], input: Data(member).base64EncodedString())
            }
            #expect(Data(base64Encoded: decoded, options: .ignoreUnknownCharacters) == Data(whole))
        }
    }

    @Test func `sends parts one after the other, compressed or not`() async throws {
        let parts = [BodyPart(Array(Self.text.utf8)), BodyPart(Array("end\n".utf8))]
        let route = Route(
            .get,
            "/parts",
            name: "parts",
            handler: .immediate { _ in
                Response(headers: ["Content-Type": "x/y"], body: .parts(parts), isCompressible: true)
            }
        )
        try await serving([route]) { port in
            for option in ["--compressed", "-HAccept: */*", "--compressed"] {
                let body = try await blocking { try Self.curl(option, port, "/parts") }
                #expect(body == Self.text + "end\n")
            }
            let (identity, gzip, head) = try await blocking {
                let client = try Client(port)
                let field = "Accept-Encoding: gzip\r\n"
                return (
                    try client.ask("GET", "/parts"), try client.ask("GET", "/parts", headers: field),
                    try client.ask("HEAD", "/parts", headers: field)
                )
            }
            #expect(identity.headers["content-length"] == "\(Self.text.utf8.count + 4)")
            #expect(gzip.headers["content-encoding"] == "gzip" && gzip.body.count < identity.body.count / 2)
            #expect(head.headers["content-length"] == "\(gzip.body.count)")
        }
    }

    private static func curl(_ option: String, _ port: UInt16, _ path: String) throws -> String {
        let command = ["curl", "-sSf", "--noproxy", "*", option, "http://127.0.0.1:\(port)\(path)"]
        return try run(command)
    }
}
