import Coordination
import Dispatch
import Glibc
import Lab
import Testing

@testable import MicroHTTP

@Suite(.timeLimit(.minutes(3)))
struct ConnectionLimitTests {
    private static let routes = [echo(.get, "/a")]

    /// A route that never answers.
    private static func busy(_ onStart: @escaping @Sendable () -> Void = {}) -> Route {
        Route(
            .get,
            "/busy",
            name: "busy",
            handler: .waiting { _ in
                onStart()
                await endOfTask()
                return .text("too late")
            }
        )
    }

    @Test(arguments: [true, false])
    func `refuses connections above a limit while each has an answer to come, and takes new ones afterwards`(
        isByAddress: Bool
    ) async throws {
        let events = Locked<[Server.ConnectionEvent]>([])
        let (started, start) = AsyncStream<Void>.makeStream()
        let busy = Self.busy { start.yield() }
        let configure: (inout Server.Configuration) -> Void = {
            if isByAddress { $0.connectionsPerAddress = 5 } else { $0.connectionLimit = 5 }
            $0.commonHeaders = ["Cache-Control": "no-store"]
            $0.onConnection = { event in events.withLock { $0.append(event) } }
        }
        try await serving(Self.routes + [busy], configure: configure) { port in
            let clients = try (0..<5).map { _ in SendableClient(try Client(port)) }
            for client in clients { try client.value.send("GET /busy HTTP/1.1\r\nHost: x\r\n\r\n") }
            var count = 0
            for await _ in started {
                count += 1
                if count == 5 { break }
            }
            try await blocking {
                let text =
                    isByAddress
                    ? "too many connections from this address, at most 5\n" : "too many connections, at most 5\n"
                for _ in 0..<20 { try expectRefusal(Client(port), text) }
                #expect(events.withLock { $0 } == [.opened] * 5 + [.refused(isByAddress ? .address : .total)] * 20)
                for client in clients { client.value.disconnect() }
                // The server sees the five ends some time later.
                while (try? Client(port).ask("GET", "/a").status) != 200 {}
                // A client that has hung up may be closed in favour of the new one, before the server sees its end.
                #expect(events.withLock { $0.contains(.closed) || $0.contains(.refused(.evicted)) })
            }
        }
    }

    @Test func `reports the end of a connection before another takes its place`() async throws {
        let (closing, reported) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let configure: (inout Server.Configuration) -> Void = {
            $0.connectionLimit = 1
            $0.onConnection = { event in
                guard event == .closed else { return }
                closing.signal()
                // Holds the event thread; with a limit, as nothing signals the later ends.
                _ = reported.wait(timeout: .now() + 10)
            }
        }
        try await serving(Self.routes, configure: configure) { port in
            try await blocking {
                let client = SendableClient(try Client(port))
                #expect(try client.value.ask("GET", "/a").status == 200)
                client.value.disconnect()
                #expect(closing.wait(timeout: .now() + 30) == .success)
                try expectRefusal(Client(port), "too many connections, at most 1\n")
                for _ in 0..<8 { reported.signal() }
                while (try? Client(port).ask("GET", "/a").status) != 200 {}
            }
        }
    }

    @Test func `a refusal ends the connection in order, also where the request has arrived`() async throws {
        var configuration = Server.Configuration(addresses: [try ListenAddress("127.0.0.1:0")])
        configuration.connectionLimit = 1
        let server = try Server(configuration: configuration, routes: Self.routes + [Self.busy()])
        let port = try server.bind()[0].port
        let clients = try (0..<5).map { number in
            let client = SendableClient(try Client(port))
            try client.value.send("GET /\(number == 0 ? "busy" : "a") HTTP/1.1\r\nHost: x\r\n\r\n")
            return client
        }
        // The requests are there when the connections are accepted.
        let running = Task { try await server.run() }
        let statuses = try await blocking {
            try clients.dropFirst().map { client in
                let status = try client.value.read().status
                var byte: UInt8 = 0
                if status == 503 { #expect(recv(client.value.descriptor, &byte, 1, 0) == 0) }
                return status
            }
        }
        #expect(statuses == [503] * 4)
        server.stop()
        try await running.value
    }

    /// libmicrohttpd takes 128 events at a time, and waits for another one before it handles exactly so many.
    @Test(arguments: [127, 128, 256])
    func `answers clients that ask at the same moment, as many as libmicrohttpd takes at a time`(
        count: Int
    ) async throws {
        let thread = HeldEventThread()
        let configure: (inout Server.Configuration) -> Void = { $0.connectionsPerAddress = 300 }
        try await serving([echo(.get, "/a"), thread.route], configure: configure) { port in
            try await blocking {
                let clients = try (0..<count).map { _ in try Client(port) }
                for client in clients { #expect(try client.ask("GET", "/a").status == 200) }
                let blocker = try Client(port)
                try thread.hold(by: blocker)
                for client in clients { try client.send("GET /a HTTP/1.1\r\nHost: test\r\n\r\n") }
                thread.release()
                // A read that takes longer than 20 s fails.
                for client in clients + [blocker] { #expect(try client.read().status == 200) }
            }
        }
    }
}

/// The whole answer to a connection that a limit refuses, unasked.
private func expectRefusal(_ client: Client, _ text: String) throws {
    let answer = try client.read()
    #expect(answer.status == 503)
    #expect(answer.headers["retry-after"] == "5")
    #expect(answer.headers["connection"] == "close")
    #expect(answer.text == text)
    #expect(client.isClosed())
}

extension Array {
    fileprivate static func * (items: Self, count: Int) -> Self { (0..<count).flatMap { _ in items } }
}
