import Coordination
import Dispatch
import Glibc
import Lab
import Testing

@testable import MicroHTTP

/// Requests whose answer is held back, and what gives way to others.
@Suite(.timeLimit(.minutes(3)))
struct LongPollTests {
    /// Reports each start and each end of its task.
    private static func route(_ started: AsyncStream<Void>.Continuation, _ ended: Locked<Int>) -> Route {
        let wait: @Sendable (Request) async -> Response = { _ in
            started.yield()
            await endOfTask()
            ended.withLock { $0 += 1 }
            return .text("too late")
        }
        return Route(
            .get,
            "/poll",
            name: "poll",
            handler: .longPoll(wait, present: { .text("now \($0.path)", status: 503) })
        )
    }

    @Test func `beyond the places of one client the oldest is answered at once, and its task is cancelled`()
        async throws
    {
        let (starts, started) = AsyncStream<Void>.makeStream()
        let ended = Locked(0)
        let configure: (inout Server.Configuration) -> Void = { $0.heldPerNetwork = 2 }
        try await serving([Self.route(started, ended)], configure: configure) { port in
            let clients = try (0..<3).map { _ in SendableClient(try Client(port)) }
            var iterator = starts.makeAsyncIterator()
            for client in clients {
                try client.value.send("GET /poll HTTP/1.1\r\nHost: x\r\n\r\n")
                await iterator.next()
            }
            try await blocking {
                let answer = try clients[0].value.read()
                #expect(answer.status == 503 && answer.text == "now /poll")
                #expect(answer.headers["connection"] == "close")
                #expect(clients[0].value.isClosed())
                for client in clients.dropFirst() {
                    var byte: UInt8 = 0
                    #expect(recv(client.value.descriptor, &byte, 1, Int32(MSG_DONTWAIT)) == -1)
                }
                try block(until: "the end of the wait") { ended.withLock { $0 } >= 1 }
            }
        }
        #expect(ended.withLock { $0 } == 3)
    }

    @Test(arguments: [true, false])
    func `a new connection takes the place of the oldest one that is held, and not of one whose answer is made`(
        isByAddress: Bool
    ) async throws {
        let (starts, started) = AsyncStream<Void>.makeStream()
        let poll = Self.route(started, Locked(0))
        let busy = Route(
            .get,
            "/busy",
            name: "busy",
            handler: .waiting { _ in
                started.yield()
                await endOfTask()
                return .text("too late")
            }
        )
        let configure: (inout Server.Configuration) -> Void = {
            if isByAddress { $0.connectionsPerAddress = 4 } else { $0.connectionLimit = 4 }
            // Three may be held.
            $0.heldPerNetwork = 3
        }
        try await serving([poll, busy, echo(.get, "/a")], configure: configure) { port in
            let clients = try (0..<4).map { _ in SendableClient(try Client(port)) }
            var iterator = starts.makeAsyncIterator()
            for (client, path) in zip(clients, ["/busy", "/poll", "/poll", "/poll"]) {
                try client.value.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
                await iterator.next()
            }
            try await blocking {
                #expect(try Client(port).ask("GET", "/a").status == 200)
                let answer = try clients[1].value.read()
                #expect(answer.status == 503 && answer.text == "now /poll")
                #expect(clients[1].value.isClosed())
                for client in [clients[0], clients[2], clients[3]] {
                    var byte: UInt8 = 0
                    #expect(recv(client.value.descriptor, &byte, 1, Int32(MSG_DONTWAIT)) == -1)
                }
            }
        }
    }

    @Test func `two new connections take the places of two that are held, also while the server is behind`()
        async throws
    {
        let (starts, started) = AsyncStream<Void>.makeStream()
        let thread = HeldEventThread()
        let evicted = Locked(0)
        let configure: (inout Server.Configuration) -> Void = {
            $0.connectionsPerAddress = 3
            $0.onConnection = { event in if event == .refused(.evicted) { evicted.withLock { $0 += 1 } } }
        }
        let routes = [Self.route(started, Locked(0)), thread.route, echo(.get, "/a")]
        try await serving(routes, configure: configure) { port in
            let clients = try (0..<3).map { _ in SendableClient(try Client(port)) }
            var iterator = starts.makeAsyncIterator()
            for client in clients.dropLast() {
                try client.value.send("GET /poll HTTP/1.1\r\nHost: x\r\n\r\n")
                await iterator.next()
            }
            try await blocking {
                try thread.hold(by: clients[2].value)
                let new = try (0..<2).map { _ in
                    let client = try Client(port)
                    try client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
                    return client
                }
                try block(until: "two evictions") { evicted.withLock { $0 } >= 2 }
                thread.release()
                for client in new { #expect(try client.read().status == 200) }
                // Both are answered before their connections are closed.
                for client in clients.dropLast() { #expect(try client.value.read().text == "now /poll") }
                #expect(try clients[2].value.read().text == "now")
            }
        }
    }

    @Test func `the task of a held request ends also when its client resets the connection before it is answered`()
        async throws
    {
        let (starts, started) = AsyncStream<Void>.makeStream()
        let thread = HeldEventThread()
        let (ended, evicted) = (Locked(0), Locked(0))
        let configure: (inout Server.Configuration) -> Void = {
            $0.connectionsPerAddress = 2
            $0.onConnection = { event in if event == .refused(.evicted) { evicted.withLock { $0 += 1 } } }
        }
        try await serving([Self.route(started, ended), thread.route, echo(.get, "/a")], configure: configure) { port in
            let held = SendableClient(try Client(port))
            var iterator = starts.makeAsyncIterator()
            try held.value.send("GET /poll HTTP/1.1\r\nHost: x\r\n\r\n")
            await iterator.next()
            try await blocking {
                let blocker = try Client(port)
                try thread.hold(by: blocker)
                let new = try Client(port)
                try new.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
                try block(until: "the eviction") { evicted.withLock { $0 } >= 1 }
                var reset = linger(l_onoff: 1, l_linger: 0)
                setsockopt(
                    held.value.descriptor,
                    SOL_SOCKET,
                    SO_LINGER,
                    &reset,
                    socklen_t(MemoryLayout<linger>.size)
                )
                held.value.disconnect()
                thread.release()
                #expect(try new.read().status == 200)
                try block(until: "the end of the wait") { ended.withLock { $0 } >= 1 }
            }
        }
    }
}
