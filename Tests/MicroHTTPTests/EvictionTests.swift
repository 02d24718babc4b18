import Coordination
import Glibc
import Lab
import Testing

@testable import MicroHTTP

/// What gives way when a limit of connections is reached.
@Suite(.timeLimit(.minutes(3)))
struct EvictionTests {
    private static let routes = [echo(.get, "/a"), echo(.post, "/a", bodyLimit: 1000)]

    private static func configure(
        _ events: Locked<[Server.ConnectionEvent]> = Locked([]),
        _ limit: @escaping @Sendable (inout Server.Configuration) -> Void
    ) -> (inout Server.Configuration) -> Void {
        { configuration in
            limit(&configuration)
            configuration.onConnection = { event in events.withLock { $0.append(event) } }
        }
    }

    @Test(arguments: [true, false])
    func `the oldest incomplete request gives way, and then the oldest idle connection`(isByAddress: Bool) async throws
    {
        let events = Locked<[Server.ConnectionEvent]>([])
        let configure = Self.configure(events) {
            if isByAddress { $0.connectionsPerAddress = 3 } else { $0.connectionLimit = 3 }
            $0.arrivalGrace = .zero
        }
        try await serving(Self.routes, configure: configure) { port in
            try await blocking {
                let idle = try Client(port)
                #expect(try idle.ask("GET", "/a").status == 200)
                let body = try Client(port)
                try body.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n")
                // Bytes that the server has not read would spare it.
                #expect(try body.read().status == 100)
                let headers = try Client(port)
                try block(until: "three connections") { events.withLock { $0.count { $0 == .opened } } >= 3 }
                // Evicted in the order of their age, although the idle one is older than both.
                let scraper = try Client(port)
                #expect(try scraper.ask("GET", "/a").status == 200)
                try expectEviction(body)
                let second = try Client(port)
                #expect(try second.ask("GET", "/a").status == 200)
                try expectEviction(headers)
                let third = try Client(port)
                #expect(try third.ask("GET", "/a").status == 200)
                // Between two requests there is nothing to answer.
                #expect(idle.isClosed())
                #expect(try scraper.ask("GET", "/a").status == 200)
                #expect(events.withLock { $0.count { $0 == .refused(.evicted) } } == 3)
            }
        }
    }

    @Test func `a client gets through from the address of 200 that send nothing`() async throws {
        let events = Locked<[Server.ConnectionEvent]>([])
        let configure = Self.configure(events) { $0.connectionsPerAddress = 100 }
        try await serving(Self.routes, configure: configure) { port in
            try await blocking {
                let silent = try (0..<200).map { _ in try Client(port) }
                // The others wait at the door.
                try block(until: "100 connections") { events.withLock { $0.count { $0 == .opened } } >= 100 }
                for _ in 0..<20 { #expect(try Client(port).ask("GET", "/a").status == 200) }
                for client in silent { client.disconnect() }
            }
        }
    }

    @Test(arguments: [true, false])
    func `a request that arrives is not interrupted by those that begin after it, which wait`(isByAddress: Bool)
        async throws
    {
        let events = Locked<[Server.ConnectionEvent]>([])
        let configure = Self.configure(events) {
            if isByAddress { $0.connectionsPerAddress = 1 } else { $0.connectionLimit = 1 }
            $0.arrivalGrace = .seconds(60)
        }
        try await serving(Self.routes, configure: configure) { port in
            try await blocking {
                let first = try Client(port)
                try first.send("GET /a HT")
                try block(until: "the first connection") { events.withLock { !$0.isEmpty } }
                let others = try (0..<100).map { _ in
                    let client = try Client(port)
                    try client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
                    return client
                }
                try first.send("TP/1.1\r\nHost: x\r\n\r\n")
                #expect(try first.read().status == 200)
                for client in others { #expect(try client.read().status == 200) }
            }
        }
        #expect(events.withLock { $0.count { $0 == .refused(.evicted) } } == 100)
    }

    @Test func `an answer that its client does not read gives way, and one that is still made does not`() async throws {
        let size = 64 << 20
        let (started, start) = AsyncStream<Void>.makeStream()
        let routes = [
            Route(
                .get,
                "/large",
                name: "large",
                handler: .immediate { _ in
                    Response(body: .repeating(RepeatedBytes([UInt8](repeating: 7, count: 65_536), count: UInt64(size))))
                }
            ),
            Route(
                .get,
                "/busy",
                name: "busy",
                handler: .waiting { _ in
                    start.yield()
                    await endOfTask()
                    return .text("too late")
                }
            ),
        ]
        try await serving(routes + Self.routes, configure: Self.configure { $0.connectionLimit = 2 }) { port in
            let busy = SendableClient(try Client(port))
            try busy.value.send("GET /busy HTTP/1.1\r\nHost: x\r\n\r\n")
            for await _ in started { break }
            try await blocking {
                let stuck = try Client(port, receiveBuffer: 4096)
                try stuck.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
                // Refused until the answer has made no progress from one try to the next.
                while (try? Client(port).ask("GET", "/a").status) != 200 {}
                #expect(stuck.readToEnd().count < size)
                var byte: UInt8 = 0
                #expect(recv(busy.value.descriptor, &byte, 1, Int32(MSG_DONTWAIT)) == -1)
            }
        }
    }

    @Test func `large bodies that were refused give way, though their clients go on sending`() async throws {
        let refused = Route(
            .post,
            "/no",
            name: "no",
            bodyLimit: 8 << 20,
            refusal: { _ in .text("no\n", status: 403) },
            handler: .immediate { _ in .text("yes\n") }
        )
        let routes = Self.routes + [refused]
        try await serving(routes, configure: Self.configure { $0.connectionsPerAddress = 3 }) { port in
            try await blocking {
                let senders = try (0..<3).map { _ in try Client(port) }
                for sender in senders {
                    try sender.send("POST /no HTTP/1.1\r\nHost: x\r\nContent-Length: 8000000\r\n\r\n")
                    // The answer has been sent: it has its second, in which the client may read it.
                    #expect(try sender.read().status == 403)
                }
                let scraper = try Client(port)
                #expect(try scraper.ask("GET", "/a").status == 200)
            }
        }
    }

    @Test func `clients that left while their answers are made give way at once, and one that waits does not`()
        async throws
    {
        let (started, start) = AsyncStream<Void>.makeStream()
        let (cancelled, cancel) = AsyncStream<Void>.makeStream()
        let handler = Route.Handler.waiting { _ in
            start.yield()
            await endOfTask()
            cancel.yield()
            return .text("too late")
        }
        let routes = Self.routes + [Route(.get, "/busy", name: "busy", handler: handler)]
        // The regular look at who has gone is every second.
        try await serving(routes, configure: Self.configure { $0.connectionsPerAddress = 4 }) { port in
            let clients = try (0..<4).map { _ in SendableClient(try Client(port)) }
            for client in clients { try client.value.send("GET /busy HTTP/1.1\r\nHost: x\r\n\r\n") }
            for await _ in started.prefix(4) {}
            for client in clients.dropFirst() { client.value.disconnect() }
            try await blocking {
                let (first, second) = (try Client(port), try Client(port))
                #expect(try first.ask("GET", "/a").status == 200 && second.ask("GET", "/a").status == 200)
                var byte: UInt8 = 0
                #expect(recv(clients[0].value.descriptor, &byte, 1, Int32(MSG_DONTWAIT)) == -1)
            }
            for await _ in cancelled.prefix(3) {}
        }
    }

    @Test func `an answer has a deadline as a whole`() async throws {
        let text = String(repeating: "x", count: 1 << 20)
        let route = Route(.get, "/text", name: "text", handler: .immediate { _ in .text(text) })
        let events = Locked<[Server.ConnectionEvent]>([])
        let configure = Self.configure(events) { $0.answerDeadline = .milliseconds(500) }
        try await serving([route], configure: configure) { port in
            try await blocking {
                let client = try Client(port, receiveBuffer: 4096)
                for _ in 0..<16 { try client.send("GET /text HTTP/1.1\r\nHost: x\r\n\r\n") }
                try block(until: "the end of the connection") { events.withLock { $0.contains(.closed) } }
                // Only what the kernel's buffers took.
                #expect(client.readToEnd().count < 16 * text.utf8.count)
            }
        }
    }

    private func expectEviction(_ client: Client) throws {
        let answer = try client.read()
        #expect(answer.status == 503)
        #expect(answer.text == "too many connections: this one was closed in favour of a newer one\n")
        #expect(client.isClosed())
    }
}
