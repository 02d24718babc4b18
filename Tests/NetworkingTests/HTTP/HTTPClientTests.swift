import Coordination
import Foundation
import FoundationNetworking
import Lab
import MicroHTTP
import Networking
import Testing

@Suite(.timeLimit(.minutes(3))) struct HTTPClientTests {
    @Test(arguments: [200, 201, 202, 204, 299])
    func `returns the body of every success`(_ status: Int) async throws {
        let text = status == 204 ? "" : "answer \(status)"
        let body = try await serving(handler: .immediate { _ in .text(text, status: status) }) { client in
            try await client.request(Endpoint(path: "/thing"))
        }
        #expect(body == Data(text.utf8))
    }

    @Test(arguments: [300, 304, 400, 401, 404, 418, 429, 500, 503])
    func `throws every other status with its body`(_ status: Int) async throws {
        let text = status == 304 ? "" : "refused \(status)"
        try await serving(handler: .immediate { _ in .text(text, status: status) }) { client in
            await #expect(throws: HTTPError.statusCode(status, Data(text.utf8))) {
                try await client.request(Endpoint(path: "/thing")) as Data
            }
        }
    }

    @Test(arguments: HTTPMethod.allCases)
    func `sends method, headers, query and body as given`(_ method: HTTPMethod) async throws {
        let requests = Locked<[Request]>([])
        let sent = method == .get ? nil : Data("{\"text\":\"grüße\"}".utf8)
        let handler = Route.Handler.immediate { request in
            requests.withLock { $0.append(request) }
            return .text("ok")
        }
        let answer = try await serving(.init(rawValue: method.rawValue), handler: handler) { client in
            let endpoint = Endpoint(
                path: "thing",
                method: method,
                headers: ["X-Key": "secret, 1", "Content-Type": "application/json"],
                queryItems: [URLQueryItem(name: "q", value: "1+1 & 日本")],
                body: sent
            )
            return try await client.request(endpoint) as Data
        }
        #expect(answer == Data("ok".utf8))
        let request = try #require(requests.withLock { $0.first })
        #expect(request.method.rawValue == method.rawValue)
        #expect(request.target == "/api/thing?q=1%2B1%20%26%20%E6%97%A5%E6%9C%AC")
        #expect(request.queryValue("q") == "1+1 & 日本")
        #expect(request.headers["x-key"] == "secret, 1")
        #expect(request.headers["content-type"] == "application/json")
        #expect(request.body == Array(sent ?? Data()))
    }

    @Test func `carries a body of a megabyte both ways`() async throws {
        let sent = Data((0..<1_048_576).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let handler = Route.Handler.immediate { .bytes($0.body, contentType: "application/octet-stream") }
        let received = try await serving(.post, handler: handler) { client in
            try await client.request(Endpoint(path: "/thing", method: .post, body: sent)) as Data
        }
        #expect(received == sent)
    }

    @Test func `decodes a body, and throws where it has another form`() async throws {
        let handler = Route.Handler.immediate { request in
            .json(Array((request.queryValue("good") == nil ? "{}" : #"{"name":"a","count":2}"#).utf8))
        }
        try await serving(handler: handler) { client in
            let thing: Thing = try await client.request(Endpoint(path: "/thing?good=1"))
            #expect(thing == Thing(name: "a", count: 2))
            await #expect(throws: DecodingError.self) {
                try await client.request(Endpoint(path: "/thing")) as Thing
            }
        }
    }

    @MainActor @Test func `can be called on the main actor, also as an existential`() async throws {
        let thing = try await serving(handler: .immediate { _ in .json(Array(#"{"name":"a","count":2}"#.utf8)) }) {
            client in
            let contract: any HTTPClientContract = client
            return try await contract.request(Endpoint(path: "/thing")) as Thing
        }
        #expect(thing.count == 2)
    }

    @Test func `follows a redirect to its end, but not in a circle`() async throws {
        let routes = [
            Route(.get, "/api/old", name: "old", handler: .immediate { _ in redirect(to: "/api/new") }),
            Route(.get, "/api/circle", name: "circle", handler: .immediate { _ in redirect(to: "/api/circle") }),
            Route(.get, "/api/new", name: "new", handler: .immediate { _ in .text("here") }),
        ]
        try await serving(routes) { port in
            let client = HTTPClient(baseURL: try url("http://127.0.0.1:\(port)/api"))
            let body: Data = try await client.request(Endpoint(path: "/old"))
            #expect(body == Data("here".utf8))
            await #expect(throws: (any Error).self) { try await client.request(Endpoint(path: "/circle")) as Data }
        }
    }

    @Test(arguments: [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")])
    func `a redirected POST becomes a GET, or stays one`(_ status: Int, _ method: String) async throws {
        let handler = Route.Handler.immediate {
            .text("\($0.method.rawValue) \(String(decoding: $0.body, as: UTF8.self))")
        }
        let routes = [
            Route(
                .post,
                "/api/old",
                name: "old",
                bodyLimit: 100,
                handler: .immediate { _ in redirect(to: "/api/new", status: status) }
            ),
            Route(.post, "/api/new", name: "new", bodyLimit: 100, handler: handler),
            Route(.get, "/api/new", name: "new", handler: handler),
        ]
        try await serving(routes) { port in
            let client = HTTPClient(baseURL: try url("http://127.0.0.1:\(port)/api"))
            let answer: Data = try await client.request(Endpoint(path: "old", method: .post, body: Data("body".utf8)))
            let text = String(decoding: answer, as: UTF8.self)
            #expect(text.hasPrefix("\(method) "))
            guard method == "POST" else { return }
            // Of FoundationNetworking: HTTPClient cannot see a redirect before the session follows it.
            withKnownIssue("the body is not sent again") { #expect(text == "POST body") }
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello world",
        "HTTP/1.0 200 OK\r\n\r\nhello world",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world",
    ])
    func `a body ends as the server says`(_ answer: String) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.send(answer)
        }
        defer { server.close() }
        let client = HTTPClient(baseURL: try url("http://127.0.0.1:\(server.port)"))
        let body: Data = try await client.request(Endpoint(path: "/"))
        #expect(body == Data("hello world".utf8))
    }

    @Test func `a server that stops in the body is an error of the transfer`() async throws {
        let settings = URLSessionConfiguration.ephemeral
        settings.timeoutIntervalForRequest = 1
        let server = try RawServer { connection in
            connection.readHead()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
            // Until the client has gone.
            connection.readHead()
        }
        defer { server.close() }
        let client = HTTPClient(
            baseURL: try url("http://127.0.0.1:\(server.port)"),
            session: URLSession(configuration: settings)
        )
        await #expect(throws: URLError.self) { try await client.request(Endpoint(path: "/")) as Data }
    }

    @Test func `a server that does not answer in time is an error of the transfer`() async throws {
        let settings = URLSessionConfiguration.ephemeral
        settings.timeoutIntervalForRequest = 1
        let handler = Route.Handler.waiting { _ in
            // Ends when the client has gone.
            await endOfTask()
            return .text("late")
        }
        try await serving(handler: handler, session: URLSession(configuration: settings)) { client in
            await #expect(throws: URLError.self) { try await client.request(Endpoint(path: "/thing")) as Data }
        }
    }

    @Test func `a cancelled task ends its transfer`() async throws {
        let started = Gate<Void>()
        let handler = Route.Handler.waiting { _ in
            started.open()
            await endOfTask()
            return .text("late")
        }
        try await serving(handler: handler) { client in
            let task = Task { try await client.request(Endpoint(path: "/thing")) as Data }
            await started.wait()
            task.cancel()
            await #expect(throws: (any Error).self) { try await task.value }
        }
    }

    @Test(arguments: [
        "",
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        "no HTTP at all\r\n\r\n",
    ])
    func `a server that closes midway, or speaks another protocol, is an error`(_ answer: String) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.send(answer)
        }
        defer { server.close() }
        let client = HTTPClient(baseURL: try url("http://127.0.0.1:\(server.port)"))
        await #expect(throws: (any Error).self) { try await client.request(Endpoint(path: "/")) as Data }
    }

    @Test func `a closed port is an error of the transfer`() async throws {
        let client = HTTPClient(baseURL: try url("http://127.0.0.1:\(try Loopback.closedPort())"))
        await #expect(throws: URLError.self) { try await client.request(Endpoint(path: "/")) as Data }
    }

    @Test func `a request that cannot be made is not sent`() async throws {
        let (path, ftp) = (HTTPClient(baseURL: try url("/relative")), HTTPClient(baseURL: try url("ftp://127.0.0.1/")))
        await #expect(throws: HTTPError.invalidURL) { try await path.request(Endpoint(path: "/")) as Data }
        await #expect(throws: HTTPError.invalidResponse) { try await ftp.request(Endpoint(path: "/")) as Data }
    }

    private func redirect(to place: String, status: Int = 302) -> Response {
        Response(status: status, headers: ["Location": place], body: .bytes([]))
    }
}
