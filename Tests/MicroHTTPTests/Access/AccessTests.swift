import Coordination
import Foundation
import Lab
import Testing

@testable import MicroHTTP

@Suite(.timeLimit(.minutes(3)))
struct AccessTests {
    /// Of `secret`, quick.
    private static let hash = "$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW"
    /// Of `secret`, a second.
    private static let slowHash = "$2b$14$abcdefghijklmnopqrstuug2/T3netL3BPRcnafSaAr9lEfTNoLyC"
    /// `user:secret`, `user:wrong`, `nobody:secret`.
    private static let right = "Authorization: Basic dXNlcjpzZWNyZXQ=\r\n"
    private static let wrong = "Authorization: Basic dXNlcjp3cm9uZw==\r\n"
    private static let stranger = "Authorization: Basic bm9ib2R5OnNlY3JldA==\r\n"

    private func protected(
        _ policy: Locked<Server.AccessPolicy>,
        _ routes: [Route] = [echo(.get, "/a"), echo(.post, "/b", bodyLimit: 1000)],
        configure: (inout Server.Configuration) -> Void = { _ in },
        _ body: @escaping @Sendable (UInt16) throws -> Void
    ) async throws {
        let configureAll: (inout Server.Configuration) -> Void = {
            configure(&$0)
            $0.access = { policy.withLock { $0 } }
        }
        try await serving(routes, configure: configureAll) { port in
            try await blocking { try body(port) }
        }
    }

    private func users(_ hash: String = hash) throws -> Locked<Server.AccessPolicy> {
        Locked(Server.AccessPolicy(users: ["user": try BcryptHash(hash)]))
    }

    @Test func `answers only who knows the password, on every path`() async throws {
        try await protected(try users()) { port in
            let client = try Client(port)
            for path in ["/a", "/missing", "/%zz"] {
                for headers in ["", Self.wrong, Self.stranger, "Authorization: Bearer dXNlcjpzZWNyZXQ=\r\n"] {
                    let answer = try client.ask("GET", path, headers: headers)
                    #expect(answer.status == 401)
                    #expect(answer.headers["www-authenticate"]?.hasPrefix("Basic ") == true)
                }
            }
            // The second time from the cache.
            for _ in 0..<2 { #expect(try client.ask("GET", "/a", headers: Self.right).text == "GET /a") }
            #expect(try client.ask("GET", "/missing", headers: Self.right).status == 404)
            #expect(try client.ask("GET", "/%zz", headers: Self.right).status == 400)
        }
    }

    @Test func `space behind the credentials is no part of them`() async throws {
        try await protected(try users()) { port in
            let headers = Self.right.replacing("=\r\n", with: "= \t\r\n")
            let answer = try Client(port).ask("GET", "/a", headers: headers)
            #expect(answer.status == 200)
        }
    }

    @Test func `a body that arrives while the password is hashed is kept`() async throws {
        try await protected(try users()) { port in
            for size in [0, 1, 1000, 1001] {
                let body = String(repeating: "x", count: size)
                let answer = try Client(port).ask("POST", "/b", headers: Self.right, body: body)
                #expect(answer.status == (size > 1000 ? 413 : 200))
                #expect(try Client(port).ask("POST", "/b", headers: Self.wrong, body: body).status == 401)
            }
        }
    }

    @Test func `a body is kept with the first login, too`() async throws {
        for size in [1, 900] {
            let received = Locked("")
            let route = Route(
                .post,
                "/b",
                name: "b",
                bodyLimit: 1000,
                handler: .immediate { request in
                    received.withLock { $0 = String(decoding: request.body, as: UTF8.self) }
                    return .text("taken")
                }
            )
            try await protected(try users(), [route]) { (port) throws in
                let body = String(repeating: "y", count: size)
                #expect(try Client(port).ask("POST", "/b", headers: Self.right, body: body).text == "taken")
                #expect(received.withLock { $0 } == body)
            }
        }
    }

    @Test func `a sink gets no byte of a client without a password, and all of one with it`() async throws {
        let record = Locked(RecordingSink.Record())
        let route = Route(.post, "/sink", name: "sink", handler: .sink { _ in .accept(RecordingSink(record)) })
        try await protected(try users(), [route]) { port in
            let body = String(repeating: "z", count: 100_000)
            #expect(try Client(port).ask("POST", "/sink", headers: Self.wrong, body: body).status == 401)
            #expect(try Client(port).ask("POST", "/sink", body: body).status == 401)
            #expect(record.withLock { $0 } == RecordingSink.Record())
            #expect(try Client(port).ask("POST", "/sink", headers: Self.right, body: body).status == 200)
            #expect(record.withLock { $0.bytes } == 100_000)
            // Longer than what is read of a refused body.
            let client = try Client(port)
            try client.send("POST /sink HTTP/1.1\r\nHost: x\r\n\(Self.stranger)Content-Length: 9000000\r\n\r\nbegin")
            #expect(try client.read().status == 401)
        }
    }

    @Test func `a client that asks before it sends its body is answered after the verdict`() async throws {
        try await protected(try users()) { port in
            for (credentials, status) in [(Self.wrong, 401), (Self.right, 100), (Self.right, 100)] {
                let client = try Client(port)
                let fields = "\(credentials)Expect: 100-continue\r\nContent-Length: 3\r\n\r\n"
                try client.send("POST /b HTTP/1.1\r\nHost: x\r\n\(fields)")
                #expect(try client.read().status == status)
                guard status == 100 else { continue }
                try client.send("abc")
                #expect(try client.read().status == 200)
            }
        }
    }

    @Test func `too many passwords at once are refused, and a stop does not wait for those that wait`() async throws {
        try await protected(try users(Self.slowHash)) { port in
            let clients = try (0..<80).map { number in
                let client = try Client(port)
                let credentials = Data("user:\(number)".utf8).base64EncodedString()
                try client.send("GET /a HTTP/1.1\r\nHost: x\r\nAuthorization: Basic \(credentials)\r\n\r\n")
                return client
            }
            // One client may have 64: the first answer is that there is no room, unless a hash was quicker.
            var polled = clients.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
            var answer: Client.Answer?
            while answer?.status != 503 {
                #expect(poll(&polled, nfds_t(polled.count), 20_000) > 0)
                let index = try #require(polled.firstIndex { $0.revents != 0 })
                answer = try clients[index].read()
                polled[index].fd = -1
            }
            #expect(answer?.headers["retry-after"] == "1")
        }
    }

    @Test func `a change of the policy counts from the next request on`() async throws {
        let policy = try users()
        try await protected(policy) { port in
            let client = try Client(port)
            #expect(try client.ask("GET", "/a", headers: Self.right).status == 200)
            policy.withLock { $0.isBroken = true }
            #expect(try client.ask("GET", "/a", headers: Self.right).status == 500)
            policy.withLock { $0 = Server.AccessPolicy(headers: ["X-Frame-Options": "deny"]) }
            let open = try client.ask("GET", "/a")
            #expect(open.status == 200 && open.headers["x-frame-options"] == "deny")
            policy.withLock { $0.users = ["other": (try? BcryptHash(Self.hash)) ?? .init(unmatchedWithCost: 4)] }
            let refused = try client.ask("GET", "/a", headers: Self.right)
            #expect(refused.status == 401 && refused.headers["x-frame-options"] == "deny")
        }
    }

    @Test func `the header of an answer goes before that of the policy, and this before the common one`() async throws {
        let own = Route(
            .get,
            "/own",
            name: "own",
            handler: .immediate { _ in
                var response = Response.text("x")
                response.headers["X-Frame-Options"] = "sameorigin"
                return response
            }
        )
        let policy = Locked(Server.AccessPolicy(headers: ["X-Frame-Options": "deny", "X-XSS-Protection": "0"]))
        let configure: (inout Server.Configuration) -> Void = {
            $0.commonHeaders = ["X-XSS-Protection": "1", "X-Common": "c"]
        }
        try await protected(policy, [own, echo(.get, "/a")], configure: configure) { port in
            let answer = try Client(port).ask("GET", "/own")
            #expect(answer.headers["x-frame-options"] == "sameorigin" && answer.headers["x-xss-protection"] == "0")
            #expect(try Client(port).ask("GET", "/a").headers["x-common"] == "c")
        }
    }
}
