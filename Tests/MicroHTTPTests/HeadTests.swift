import Glibc
import Lab
import Testing

@testable import MicroHTTP

/// Heads of requests that libmicrohttpd 0.9.75 reads too kindly, as bytes; 1.0 refuses more, and some without an answer.
@Suite(.timeLimit(.minutes(3)))
struct HeadTests {
    typealias Shape = RequestShape

    /// Each of them is one request, which a proxy may have read otherwise.
    static let refused = [
        Shape(name: "NUL in the target", strict: .closed, line: "GET /a\0b HTTP/1.1\r\n"),
        Shape(name: "NUL at the end of the target", strict: .closed, line: "GET /a\0 HTTP/1.1\r\n"),
        Shape(name: "NUL in the query", strict: .closed, line: "GET /a?b=\0c HTTP/1.1\r\n"),
        Shape(name: "NUL in the method", strict: .closed, line: "GE\0T /a HTTP/1.1\r\n"),
        Shape(name: "NUL in a value", headers: "Host: x\r\nX: a\0b\r\n"),
        Shape(name: "NUL at the end of a value", headers: "Host: x\r\nX: a\0\r\n"),
        Shape(name: "NUL at the start of a value", headers: "X: \0a\r\nHost: x\r\n"),
        Shape(name: "NUL in the last value", headers: "X: 1\r\nHost: x\0y\r\n"),
        Shape(name: "NUL at the start of a line", headers: "Host: x\r\n\0X: a\r\n"),
        Shape(
            name: "NUL in Content-Length",
            line: "POST /a HTTP/1.1\r\n",
            headers: "Host: x\r\nContent-Length: 5\0\r\n",
            body: "hello"
        ),
        Shape(
            name: "NUL in Transfer-Encoding",
            line: "POST /a HTTP/1.1\r\n",
            headers: "Host: x\r\nTransfer-Encoding: chunked\0x\r\n",
            body: "0\r\n\r\n"
        ),
        Shape(name: "no name", headers: "Host: x\r\n: y\r\n"),
        Shape(name: "no name first", headers: ": y\r\nHost: x\r\n"),
        Shape(name: "a colon alone", headers: "Host: x\r\n:\r\n"),
        Shape(name: "no name, then a request", headers: "Host: x\r\n: y\r\nGET /b HTTP/1.1\r\nHost: x\r\n"),
        Shape(name: "a CR in a value", headers: "Host: x\r\nX: a\rb\r\n"),
        Shape(name: "a continued line", headers: "Host: x\r\nX: a\r\n b\r\n"),
        Shape(name: "a continued line in the middle", headers: "Host: x\r\nX: a\r\n\tb\r\nY: 2\r\n"),
    ]

    /// Odd, and clear.
    static let accepted = [
        Shape(name: "plain"), Shape(name: "no value", headers: "Host: x\r\nX:\r\nY: \t\r\n"),
        Shape(name: "space after a value", headers: "Host: x \r\nX: 1\t\r\n"),
        Shape(name: "no space before a value", headers: "Host:x\r\nX:1\r\n"),
        Shape(
            name: "lines without CR",
            strict: .refused,
            line: "GET /a HTTP/1.1\n",
            headers: "Host: x\nX: 1\n"
        ),
        Shape(name: "two spaces before the target", strict: .refused, line: "GET  /a HTTP/1.1\r\n"),
        Shape(name: "an empty line first", line: "\r\nGET /a HTTP/1.1\r\n"),
        Shape(name: "empty lines first", strict: .closed, line: "\r\n\r\nGET /a HTTP/1.1\r\n"),
        Shape(name: "HTTP/1.0 without Host", line: "GET /a HTTP/1.0\r\n", headers: "Connection: keep-alive\r\n"),
        Shape(name: "a hundred headers", headers: "Host: x\r\n" + (0..<100).map { "X\($0): \($0)\r\n" }.joined()),
        Shape(name: "a cookie", headers: "Cookie: a=b; c=\"d\"\r\nHost: x\r\n"),
        Shape(name: "an odd cookie", headers: "Cookie: a=\"b c\";;=d; e\r\nCookie: f\r\nHost: x\r\n"),
        Shape(name: "a long cookie", headers: "Cookie: a=\(String(repeating: "b", count: 15_000))\r\nHost: x\r\n"),
        Shape(name: "a thousand keys", line: "GET /a?" + (0..<1000).map { "k\($0)&" }.joined() + " HTTP/1.1\r\n"),
    ]

    @Test(arguments: refused) func `is refused once, and the connection closed`(_ shape: Shape) async throws {
        try await serving([echo(.get, "/a"), echo(.get, "/b"), echo(.post, "/a", bodyLimit: 10)]) { port in
            try await blocking {
                let client = try Client(port)
                try client.send(shape.bytes + Shape(name: "").bytes)
                #expect(Shape.Outcome(of: client) == shape.outcome(.refused))
            }
        }
    }

    /// Bodies whose end is not clear, with the answers of this server and of nginx.
    private static let unclear = [
        (Shape(name: "two lengths", headers: "Host: x\r\nContent-Length: 5\r\nContent-Length: 5\r\n"), 400, 400),
        (Shape(name: "both", headers: "Host: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n"), 400, 400),
        (Shape(name: "another coding", headers: "Host: x\r\nTransfer-Encoding: identity\r\n"), 400, 501),
        (Shape(name: "two codings", headers: "Host: x\r\nTransfer-Encoding: gzip, chunked\r\n"), 400, 501),
        (Shape(name: "no length", headers: "Host: x\r\nContent-Length: x\r\n"), 400, 400),
        (Shape(name: "a list of lengths", headers: "Host: x\r\nContent-Length: 5, 5\r\n"), 400, 400),
        (Shape(name: "a huge length", headers: "Host: x\r\nContent-Length: 99999999999999999999999\r\n"), 413, 400),
    ]

    /// libmicrohttpd answers the last three itself, twice.
    @Test func `A body whose end is not clear ends the connection, as with nginx`() async throws {
        let nginx = try await blocking { try ReferenceServer() }
        try await serving([echo(.post, "/a", bodyLimit: 10)]) { port in
            try await blocking {
                for (shape, ours, theirs) in Self.unclear {
                    var post = shape
                    post.line = "POST /a HTTP/1.1\r\n"
                    post.body = "0\r\n\r\nGET /a HTTP/1.1\r\nHost: x\r\n\r\n"
                    for (port, status) in [(port, ours), (nginx.port, theirs)] {
                        let client = try Client(port)
                        try client.send(post.bytes)
                        #expect(try client.read().status == status, "\(shape.name)")
                        let rest = String(decoding: client.readToEnd(), as: UTF8.self)
                        #expect(!rest.contains(" 200 ") && !rest.contains(" 405 "), "\(shape.name)")
                    }
                }
            }
        }
        withExtendedLifetime(nginx) {}
    }

    @Test(arguments: accepted) func `is answered, and the connection kept`(_ shape: Shape) async throws {
        try await serving([echo(.get, "/a")]) { port in
            try await blocking {
                let client = try Client(port)
                try client.send(shape.bytes + shape.bytes)
                #expect(Shape.Outcome(of: client) == shape.outcome(.answered))
            }
        }
    }

    @Test func `nginx refuses and accepts the same`() async throws {
        let nginx = try await blocking { try ReferenceServer() }
        try await blocking {
            for shape in Self.refused {
                let client = try Client(nginx.port)
                try client.send(shape.bytes)
                #expect(Shape.Outcome(of: client) == .refused, "\(shape.name)")
            }
            for shape in Self.accepted {
                let client = try Client(nginx.port)
                try client.send(shape.bytes + shape.bytes)
                #expect(Shape.Outcome(of: client) == .answered, "\(shape.name)")
            }
        }
        withExtendedLifetime(nginx) {}
    }

    @Test func `A thousand keys of a query are answered at once`() async throws {
        let route = Route(.get, "/a", name: "a", handler: .immediate { .text("\($0.query.count)") })
        try await serving([route]) { port in
            try await blocking {
                let client = try Client(port)
                for count in [1000, 2000] {
                    let query = (0..<count).map { "k\($0)" }.joined(separator: "&")
                    #expect(try client.ask("GET", "/a?\(query)").text == "\(count)")
                }
            }
        }
    }

    @Test func `A chunked body far over the limit is answered`() async throws {
        try await serving([echo(.post, "/a", bodyLimit: 10)]) { port in
            try await blocking {
                let client = try Client(port)
                try client.send("POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n400000\r\n")
                client.sendWhatFits(0x400000)
                #expect(try client.read().status == 413)
                #expect(client.isClosed())
            }
        }
    }

    @Test func `HEAD is never upgraded`() async throws {
        let route = upgrading(headers: ["Upgrade": "echo"]) { _, _ in Issue.record("upgraded") }
        try await serving([route, echo(.get, "/a")]) { port in
            try await blocking {
                let client = try Client(port)
                let headers = "Connection: Upgrade\r\nUpgrade: echo\r\n"
                #expect(try client.ask("HEAD", "/ws", headers: headers).status == 400)
                #expect(try client.ask("GET", "/a").status == 200)
            }
        }
    }
}
