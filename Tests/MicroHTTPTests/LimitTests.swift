import Coordination
import Glibc
import Lab
import Testing

@testable import MicroHTTP

@Suite(.timeLimit(.minutes(3)))
struct LimitTests {
    private static let routes = [
        echo(.get, "/a"),
        echo(.post, "/a", bodyLimit: 1000),
    ]

    @Test(arguments: [
        ("GET /a HTTP/1.1\r\nX: ", false), ("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n", true),
    ])
    func `ends a client that sends a byte at a time`(start: String, isBody: Bool) async throws {
        let configure: (inout Server.Configuration) -> Void = {
            $0.headerDeadline = isBody ? .seconds(3600) : .milliseconds(300)
            $0.bodyDeadline = isBody ? .milliseconds(300) : .seconds(3600)
            $0.commonHeaders = ["Cache-Control": "no-store"]
        }
        try await serving(Self.routes, configure: configure) { port in
            try await blocking {
                let clock = ContinuousClock()
                let begin = clock.now
                let client = try Client(port)
                try client.send(start)
                // The pace of the client, not a wait for the server: poll ends with its answer.
                var waiting = pollfd(fd: client.descriptor, events: Int16(POLLIN), revents: 0)
                while poll(&waiting, 1, 20) == 0 { try client.send("x") }
                #expect(clock.now - begin > .milliseconds(250))
                // Ended by the deadline: the idle time-out alone would take a minute.
                #expect(clock.now - begin < .seconds(30))
                let answer = try client.read()
                #expect(answer.status == 408)
                #expect(answer.text == "the request did not come in time\n")
                #expect(answer.headers["cache-control"] == "no-store")
                #expect(answer.headers["date"]?.hasSuffix(" GMT") == true)
                #expect(client.isClosed())
            }
        }
    }

    @Test func `ends a silent client between two requests`() async throws {
        let configure: (inout Server.Configuration) -> Void = {
            $0.headerDeadline = .milliseconds(200)
            $0.idleTimeout = .milliseconds(100)
        }
        try await serving(Self.routes, configure: configure) { port in
            try await blocking {
                let client = try Client.answered(port)
                #expect(client.isClosed())
            }
        }
    }

    @Test(arguments: ["GET /a HTTP/1.1\r\nHost: x\r\n\r\n", "GET /a HTTP/1.1\r\nHo"])
    func `closes when the client's end comes with its last bytes`(request: String) async throws {
        let configure: (inout Server.Configuration) -> Void = { $0.bodyDeadline = .milliseconds(500) }
        try await serving(Self.routes, configure: configure) { port in
            try await blocking {
                let clock = ContinuousClock()
                let begin = clock.now
                let client = try Client(port)
                try client.send(request)
                shutdown(client.descriptor, Int32(SHUT_WR))
                _ = client.readToEnd()
                // Noticed: the idle time-out alone would take a minute.
                #expect(clock.now - begin < .seconds(30))
            }
        }
    }

    @Test func `does not end one that waits for its answer`() async throws {
        let (gate, open) = AsyncStream<Void>.makeStream()
        let route = Route(
            .get,
            "/gate",
            name: "gate",
            handler: .waiting { _ in
                for await _ in gate { break }
                return .text("opened")
            }
        )
        let configure: (inout Server.Configuration) -> Void = { $0.headerDeadline = .milliseconds(50) }
        try await serving(Self.routes + [route], configure: configure) { port in
            try await blocking {
                let client = try Client.answered(port)
                try client.send("GET /gate HTTP/1.1\r\nHost: x\r\n\r\n")
                // Another client's end shows that the deadline has passed.
                #expect(try Client(port).read().status == 408)
                open.yield()
                #expect(try client.read().text == "opened")
            }
        }
    }

    @Test func `Stops with a hundred suspended connections, and returns after their handlers`() async throws {
        let (started, start) = AsyncStream<Void>.makeStream()
        let ended = Locked(0)
        let routes = [
            Route(
                .get,
                "/forever",
                name: "forever",
                handler: .waiting { _ in
                    start.yield()
                    await endOfTask()
                    await cleanUp()
                    ended.withLock { $0 += 1 }
                    return .text("too late")
                }
            ),
            Route(
                .get,
                "/stream",
                name: "stream",
                handler: .immediate { _ in
                    Response(
                        body: .stream { _ in
                            start.yield()
                            await endOfTask()
                            await cleanUp()
                            ended.withLock { $0 += 1 }
                        }
                    )
                }
            ),
        ]
        var configuration = Server.Configuration(addresses: [try ListenAddress("127.0.0.1:0")])
        configuration.connectionsPerAddress = 200
        let server = try Server(configuration: configuration, routes: routes)
        let port = try server.bind()[0].port
        let task = Task { try await server.run() }
        let clients = try await blocking {
            try (0..<100).map { index in
                let client = SendableClient(try Client(port))
                try client.value.send("GET \(index % 2 == 0 ? "/forever" : "/stream") HTTP/1.1\r\nHost: x\r\n\r\n")
                return client
            }
        }
        var count = 0
        for await _ in started {
            count += 1
            if count == 100 { break }
        }
        server.stop()
        try await task.value
        #expect(ended.withLock { $0 } == 100)
        try await blocking { for client in clients { _ = client.value.readToEnd() } }
    }

    @Test(arguments: [true, false])
    func `cancels the handler of a client that hangs up`(isStream: Bool) async throws {
        let (started, start) = AsyncStream<Void>.makeStream()
        let (ended, end) = AsyncStream<Void>.makeStream()
        let wait: @Sendable () async -> Void = {
            start.yield()
            await endOfTask()
            end.yield()
        }
        let route = Route(
            .get,
            "/wait",
            name: "wait",
            handler: .waiting { _ in
                if isStream { return Response(body: .stream { _ in await wait() }) }
                await wait()
                return .text("too late")
            }
        )
        let configure: (inout Server.Configuration) -> Void = { $0.bodyDeadline = .milliseconds(300) }
        try await serving([route], configure: configure) { port in
            let client = try await blocking {
                let client = SendableClient(try Client(port))
                try client.value.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
                return client
            }
            for await _ in started { break }
            shutdown(client.value.descriptor, Int32(SHUT_WR))
            for await _ in ended { break }
            try await blocking { _ = client.value.readToEnd() }
        }
    }

    /// A reset can overtake an answer that the network has lost on its first way.
    @Test func `A head that is not read to its end is answered, and no reset follows`() async throws {
        let client = try await serving(Self.routes) { port in
            try await blocking {
                let client = SendableClient(try Client(port))
                // More than libmicrohttpd has room for; less than a new socket's window.
                try client.value.send("GET /a HTTP/1.1\r\nX: " + String(repeating: "x", count: 50_000) + "\r\n\r\n")
                #expect(try client.value.read().status == 431)
                #expect(client.value.isClosed())
                return client
            }
        }
        var code: Int32 = -1
        var length = socklen_t(MemoryLayout<Int32>.size)
        #expect(getsockopt(client.value.descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0)
        #expect(code == 0)
    }

    @Test func `one that waits too long for a place gets 408, and no reset follows`() async throws {
        let thread = HeldEventThread()
        let configure: (inout Server.Configuration) -> Void = {
            $0.connectionLimit = 1
            // The other one has just begun its answer, and keeps its place.
            $0.arrivalGrace = .seconds(60)
            $0.headerDeadline = .seconds(2)
        }
        try await serving([thread.route], configure: configure) { port in
            try await blocking {
                let holder = try Client(port)
                try thread.hold(by: holder)
                let client = try Client(port)
                try client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(try client.read().status == 408)
                // The end; after a reset it would be an error.
                var byte: UInt8 = 0
                #expect(recv(client.descriptor, &byte, 1, 0) == 0)
                thread.release()
                #expect(try holder.read().text == "now")
            }
        }
    }
}

/// Handed from one thread to the next, never used by two at once.
struct SendableClient: @unchecked Sendable {
    let value: Client

    init(_ value: Client) { self.value = value }
}

/// What a handler still does after its cancellation, such as to wait for a query that is under way.
private func cleanUp() async {
    await Task { try? await Task.sleep(for: .milliseconds(50)) }.value
}
