import Coordination
import Foundation
import HTTPTransfer
import Lab
import MicroHTTP
import OfflineQueue
import Testing

@Suite(.timeLimit(.minutes(3))) struct HTTPRequestSenderTests {
    private func request(_ url: String, method: String = "POST", body: String? = "body") -> RetryableRequest {
        RetryableRequest(
            endpoint: url,
            method: method,
            body: body.map { Data($0.utf8) },
            requestType: "test",
            headers: ["X-One": "1", "Content-Type": "text/plain"]
        )
    }

    @Test(arguments: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])
    func `sends method, headers and body, and returns status and body`(_ method: String) async throws {
        let requests = Locked<[MicroHTTP.Request]>([])
        let handler = Route.Handler.immediate { request in
            requests.withLock { $0.append(request) }
            return .text("answer", status: 201)
        }
        let route = Route(.init(rawValue: method), "/x", name: "x", bodyLimit: 1000, handler: handler)
        let hasBody = method != "GET" && method != "HEAD"
        try await serving([route]) { port in
            let url = "http://127.0.0.1:\(port)/x"
            let response = try await HTTPRequestSender().send(
                request(url, method: method, body: hasBody ? "body" : nil)
            )
            #expect(response.statusCode == 201)
            #expect(response.body == Data((method == "HEAD" ? "" : "answer").utf8))
            #expect(response.retryAfter == nil && !response.isTruncated)
        }
        let received = try #require(requests.withLock { $0.first })
        #expect(received.headers["x-one"] == "1" && received.headers["content-type"] == "text/plain")
        #expect(received.body == Array((hasBody ? "body" : "").utf8))
    }

    @Test func `reads Retry-After, follows no redirect, and cuts a long answer`() async throws {
        let routes = [
            Route(
                .post,
                "/busy",
                name: "busy",
                bodyLimit: 10,
                handler: .immediate { _ in Response(status: 429, headers: ["Retry-After": "3"], body: .bytes([])) }
            ),
            Route(
                .post,
                "/moved",
                name: "moved",
                bodyLimit: 10,
                handler: .immediate { _ in Response(status: 302, headers: ["Location": "/busy"], body: .bytes([])) }
            ),
            Route(
                .post,
                "/long",
                name: "long",
                bodyLimit: 10,
                handler: .immediate { _ in .text(String(repeating: "x", count: 5000)) }
            ),
        ]
        try await serving(routes) { port in
            let sender = HTTPRequestSender(answerLimit: 1000)
            let busy = try await sender.send(request("http://127.0.0.1:\(port)/busy"))
            #expect(busy == DeliveryResponse(statusCode: 429, retryAfter: .seconds(3)))
            #expect(try await sender.send(request("http://127.0.0.1:\(port)/moved")).statusCode == 302)
            let long = try await sender.send(request("http://127.0.0.1:\(port)/long"))
            #expect(long.body.count == 1000 && long.isTruncated)
        }
    }

    @Test(arguments: [("127.0.0.1", true), ("localhost", false)])
    func `asks the rule about the address itself, also that of a name`(_ host: String, _ isLiteral: Bool) async throws {
        let count = Locked(0)
        let handler = Route.Handler.immediate { _ in
            count.withLock { $0 += 1 }
            return .text("")
        }
        try await serving([Route(.post, "/x", name: "x", bodyLimit: 10, handler: handler)]) { port in
            let url = "http://\(host):\(port)/x"
            await #expect {
                try await HTTPRequestSender(rule: .global).send(request(url))
            } throws: { error in
                switch error as? OfflineError {
                case .forbidden(let reason): isLiteral && reason == "127.0.0.1 port \(port) is not allowed"
                // The name's last address may be ::1.
                case .forbiddenAddress(let reason): !isLiteral && reason.hasSuffix(" port \(port) is not allowed")
                default: false
                }
            }
            #expect(count.withLock { $0 } == 0)
            let rule = ConnectionRule { request, address, asked in
                request.requestType == "test" && address == "127.0.0.1" && asked == Int(port)
            }
            let response = try await HTTPRequestSender(rule: rule).send(request(url))
            #expect(response.statusCode == 200)
        }
    }

    @Test func `no answer in time is an error`() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.readAll()
        }
        defer { server.close() }
        await #expect(throws: TransferError.self) {
            try await HTTPRequestSender(timeout: .milliseconds(200)).send(request(server.url))
        }
    }

    @Test(arguments: [
        "https://user:secret@127.0.0.1:9/", "http://127.0.0.1:9/\(String(repeating: "x", count: 65_536))",
        "ftp://127.0.0.1/",
    ])
    func `what is refused at the door is refused again before it is sent`(_ url: String) async {
        await #expect {
            try await HTTPRequestSender().send(request(url))
        } throws: {
            if case OfflineError.invalidRequest = $0 { true } else { false }
        }
    }

    @Test(arguments: [
        "/v1/../admin", "/v1/%2e%2e/admin", "/v1/..\\admin", "/v1//admin", "/v1/.;/x#/../admin", "/v1?/../admin",
    ])
    func `the request line has the path that a rule for paths has compared`(_ target: String) async throws {
        let line = Locked("")
        let server = try RawServer { connection in
            let head = connection.readHead()
            line.withLock { $0 = String(head.prefix { $0 != "\r\n" }) }
            connection.send("HTTP/1.1 204 No Content\r\n\r\n")
        }
        defer { server.close() }
        let url = server.url + target
        #expect(try await HTTPRequestSender().send(request(url)).statusCode == 204)
        let read = try #require(WebURL(url))
        #expect(line.withLock { $0 } == "POST \(read.target) HTTP/1.1")
    }
}
