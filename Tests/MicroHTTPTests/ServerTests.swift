import Coordination
import Foundation
import Glibc
import Lab
import Testing

@testable import MicroHTTP

@Suite(.timeLimit(.minutes(3)))
struct ServerTests {
    private static let routes = [
        echo(.get, "/a"),
        echo(.post, "/a", bodyLimit: 10),
        Route(
            .post,
            "/body",
            name: "body",
            bodyLimit: 100_000,
            handler: .immediate { .bytes($0.body, contentType: "x/y") }
        ),
        Route(.get, "/peer", name: "peer", handler: .immediate { .text($0.peer) }),
        Route(.get, "/wait", name: "wait", handler: .waiting { .text("waited \($0.path)") }),
    ]

    /// Raw bytes and the status they deserve.
    struct Case: Sendable, CustomTestStringConvertible {
        let request: String
        let status: Int
        /// Whether libmicrohttpd 1.0 refuses it before it asks us, with a page of its own.
        let isStrict: Bool

        init(_ request: String, _ status: Int, strict: Bool = false) {
            self.request = request
            self.status = status
            isStrict = strict
        }

        var testDescription: String { "\(status) \(request.prefix(120).debugDescription)" }
    }

    @Test func `keeps a connection alive over many requests`() async throws {
        try await serving(Self.routes) { port in
            try await blocking {
                let client = try Client(port)
                for path in ["/a", "/wait", "/a", "/wait"] {
                    let answer = try client.ask("GET", path)
                    #expect(answer.status == 200)
                    #expect(answer.headers["content-type"] == "text/plain; charset=utf-8")
                    #expect(answer.headers["connection"] == nil)
                    #expect(answer.headers["date"] != nil)
                }
                #expect(try client.ask("GET", "/a", headers: "Connection: close\r\n").status == 200)
                #expect(client.isClosed())
            }
        }
    }

    @Test func `answers pipelined requests in their order`() async throws {
        try await serving(Self.routes) { port in
            try await blocking {
                let client = try Client(port)
                let paths = (0..<200).map { $0 % 3 == 0 ? "/wait" : $0 % 3 == 1 ? "/a" : "/none" }
                try client.send(paths.map { "GET \($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined())
                for path in paths {
                    let expected = ["/wait": "waited /wait", "/a": "GET /a", "/none": "not found\n"][path]
                    #expect(try client.read().text == expected)
                }
            }
        }
    }

    @Test func `serves HTTP 1.0, closing unless asked to keep alive`() async throws {
        try await serving(Self.routes) { port in
            try await blocking {
                let client = try Client(port)
                try client.send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /a HTTP/1.0\r\n\r\n")
                #expect(try client.read().text == "GET /a")
                #expect(try client.read().text == "GET /a")
                #expect(client.isClosed())
            }
        }
    }

    @Test func `Answers HEAD like GET without the body`() async throws {
        try await serving(Self.routes) { port in
            try await blocking {
                let client = try Client(port)
                let answer = try client.ask("HEAD", "/wait")
                #expect(answer.status == 200)
                #expect(answer.headers["content-length"] == "12")
                #expect(try client.ask("GET", "/a").text == "GET /a")
            }
        }
    }

    @Test func `refuses another method with 405 and names those allowed`() async throws {
        try await serving(Self.routes) { port in
            try await blocking {
                let client = try Client(port)
                let answer = try client.ask("PUT", "/a", body: "twelve bytes")
                #expect(answer.status == 405)
                #expect(answer.headers["allow"] == "GET, HEAD, POST")
                #expect(answer.text == "the method PUT is not allowed here\n")
                #expect(try client.ask("BREW", "/a").status == 501)
                #expect(try client.ask("GET", "/b").status == 404)
                #expect(try client.ask("GET", "/a").status == 200)
            }
        }
    }

    @Test func `renders its own errors as configured`() async throws {
        let configure: (inout Server.Configuration) -> Void = {
            $0.commonHeaders = ["Cache-Control": "no-store"]
            $0.errorResponse = { path, status, message in
                .json(Array("\(path) \(status) \(message)".utf8), status: status)
            }
        }
        try await serving(Self.routes, configure: configure) { port in
            try await blocking {
                let answer = try Client(port).ask("GET", "/api/x")
                #expect(answer.text == "/api/x 404 not found")
                #expect(answer.headers["content-type"] == "application/json")
                #expect(answer.headers["cache-control"] == "no-store")
            }
        }
    }

    @Test(arguments: [
        Case("GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        Case("GET /%00 HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        Case("GET /%ff HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        Case("GET /a?x=%f HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        Case("GET /a b HTTP/1.1\r\nHost: x\r\n\r\n", 400, strict: true),
        Case("GET a HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        Case("GET http://h/a HTTP/1.1\r\nHost: x\r\n\r\n", 200),
        Case("GET /a HTTP/1.1\r\n\r\n", 400, strict: true),
        Case("GET /a HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", 400),
        Case("GET /a HTTP/1.1\r\nHost : x\r\n\r\n", 400, strict: true),
        Case("GET /a HTTP/1.1\r\n Host: x\r\n\r\n", 400, strict: true),
        Case("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na", 400),
        Case(
            "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
            400,
            strict: true
        ),
        Case("POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", 400, strict: true),
        Case("POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", 200),
        Case("POST /a HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", 400),
        Case("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\nelevenbytes", 413),
        Case("POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nb\r\nelevenbytes\r\n0\r\n\r\n", 413),
        Case("POST /a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n", 413),
        Case("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n", 413),
        Case("GET /a HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "x", count: 16_500))\r\n\r\n", 431),
        Case("GET /\(String(repeating: "x", count: 16_500)) HTTP/1.1\r\nHost: x\r\n\r\n", 431),
    ])
    func `answers a doubtful request`(test: Case) async throws {
        try await serving(Self.routes) { port in
            try await blocking {
                let client = try Client(port)
                try client.send(test.request)
                let answer = try client.read()
                #expect(answer.status == test.status)
                let isOurs = !(test.isStrict && LibraryVersion.current.hasStrictParser)
                #expect(answer.headers["content-type"] == (isOurs ? "text/plain; charset=utf-8" : nil))
            }
        }
    }

    /// libmicrohttpd refuses these before it asks us; the page is its own.
    @Test(arguments: [
        Case("GET /a FTP/1.1\r\nHost: x\r\n\r\n", 400),
        Case("GET /a\r\nHost: x\r\n\r\n", 400),
        Case("GET /a HTTP/2.0\r\nHost: x\r\n\r\n", 505),
        Case("GET /a HTTP/1.1\r\nHost x\r\n\r\n", 400),
        Case("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400),
        Case("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1, 1\r\n\r\na", 400),
        Case("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n", 413),
        Case("POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
        Case("GET /a HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "x", count: 80_000))\r\n\r\n", 431),
        Case("GET /\(String(repeating: "x", count: 80_000)) HTTP/1.1\r\nHost: x\r\n\r\n", 414),
    ])
    func `Counts the requests that libmicrohttpd refuses itself`(test: Case) async throws {
        let seen = Locked<[String]>([])
        let configure: (inout Server.Configuration) -> Void = {
            $0.onResponse = { name, status in seen.withLock { $0.append("\(name ?? "unknown") \(status)") } }
        }
        try await serving(Self.routes, configure: configure) { port in
            try await blocking {
                let client = try Client(port)
                try? client.send(test.request)
                #expect(try client.read().status == test.status)
            }
        }
        #expect(seen.withLock { $0 } == ["unknown \(test.status)"])
    }

    @Test func `takes a body by length and by chunks`() async throws {
        try await serving(Self.routes) { port in
            try await blocking {
                let client = try Client(port)
                let long = String(repeating: "0123456789", count: 10_000)
                #expect(try client.ask("POST", "/body", body: long).text == long)
                #expect(try client.ask("POST", "/body").text == "")
                let head = "POST /body HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                // 1.0.1 refuses an extension.
                let size = LibraryVersion.current.hasStrictParser ? "3" : "3;x=y"
                try client.send(head + "\(size)\r\nabc\r\n" + "2\r\nde\r\n0\r\n\r\n")
                #expect(try client.read().text == "abcde")
                #expect(try client.ask("GET", "/a").status == 200)
            }
        }
    }

    @Test func `Sends 100 Continue for an expected body`() async throws {
        try await serving(Self.routes) { port in
            try await blocking {
                let client = try Client(port)
                try client.send("POST /body HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
                #expect(try client.read().status == 100)
                try client.send("abc")
                #expect(try client.read().text == "abc")
            }
        }
    }

    @Test func `stops reading a body that has no end`() async throws {
        try await serving(Self.routes) { port in
            try await blocking {
                let client = try Client(port)
                try client.send("POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
                let chunk = "10000\r\n" + String(repeating: "x", count: 65_536) + "\r\n"
                var sent = 0
                while sent < 1000, (try? client.send(chunk)) != nil { sent += 1 }
                #expect(sent < 200)
            }
        }
    }

    @Test func `reports each answer with its route`() async throws {
        let seen = Locked<[String]>([])
        let configure: (inout Server.Configuration) -> Void = {
            $0.onResponse = { name, status in seen.withLock { $0.append("\(name ?? "unknown") \(status)") } }
        }
        try await serving(Self.routes, configure: configure) { port in
            try await blocking {
                let client = try Client(port)
                for path in ["/a", "/wait", "/b"] { _ = try client.ask("GET", path) }
                _ = try client.ask("POST", "/a", body: "eleven bytes")
                _ = try client.ask("PUT", "/a")
            }
        }
        #expect(seen.withLock { $0 } == ["echo 200", "wait 200", "unknown 404", "echo 413", "unknown 405"])
    }

    @Test func `Runs only once, and throws otherwise`() async throws {
        let configuration = Server.Configuration(addresses: [try ListenAddress("127.0.0.1:0")])
        let server = try Server(configuration: configuration, routes: [])
        server.stop()
        try await server.run()
        await #expect(throws: ListenError.self) { try await server.run() }
    }

    @Test func `ends when its task is cancelled`() async throws {
        let configuration = Server.Configuration(addresses: [try ListenAddress("127.0.0.1:0")])
        let server = try Server(configuration: configuration, routes: Self.routes)
        let port = try server.bind()[0].port
        let task = Task { try await server.run() }
        try await blocking {
            let client = try Client(port)
            #expect(try client.ask("GET", "/a").status == 200)
            task.cancel()
            // Its port is no evidence: the server of another test may have it by then.
            #expect(client.isClosed())
        }
        try await task.value
    }
}
