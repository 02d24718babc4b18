import Coordination
import Glibc
import Lab
import Testing

@testable import MicroHTTP

@Suite(.timeLimit(.minutes(3)))
struct UpgradeTests {
    private static let request = "GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n"

    /// Sends back what comes until the other side closes.
    private static func route(_ ended: Locked<Int>) -> Route {
        upgrading(headers: ["Upgrade": "echo", "X-More": "1"]) { socket, received in
            var bytes = [UInt8](repeating: 0, count: 1000)
            var count = received.count
            bytes.replaceSubrange(0..<count, with: received)
            repeat {
                if count > 0 { _ = send(socket.descriptor, bytes, count, Int32(MSG_NOSIGNAL)) }
                count = recv(socket.descriptor, &bytes, bytes.count, 0)
            } while count > 0
            ended.withLock { $0 += 1 }
        }
    }

    @Test func `Hands over the socket with the bytes already received, and closes it afterwards`() async throws {
        let ended = Locked(0)
        try await serving([Self.route(ended), echo(.get, "/a")]) { port in
            try await blocking {
                for _ in 0..<20 {
                    let client = try Client(port)
                    try client.send(Self.request + "early")
                    let answer = try client.readHead()
                    #expect(answer.hasPrefix("HTTP/1.1 101 "))
                    #expect(answer.contains("Upgrade: echo\r\n") && answer.contains("X-More: 1\r\n"))
                    #expect(answer.contains("Connection: Upgrade\r\n"))
                    #expect(client.readUntilEnd("early") == Array("early".utf8))
                    try client.send("late")
                    #expect(client.readUntilEnd("late") == Array("late".utf8))
                    #expect(try Client(port).ask("GET", "/a").status == 200)
                    shutdown(client.descriptor, Int32(SHUT_WR))
                    #expect(client.isClosed())
                }
            }
        }
        #expect(ended.withLock { $0 } == 20)
    }

    @Test func `sends each write at once`() async throws {
        let option = Locked<Int32>(-1)
        let route = upgrading(headers: ["Upgrade": "echo"]) { socket, _ in
            var isOn: Int32 = -1
            var length = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(socket.connection, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, &length)
            option.withLock { $0 = isOn }
        }
        try await serving([route]) { port in
            try await blocking {
                let client = try Client(port)
                try client.send(Self.request)
                _ = try client.readHead()
                #expect(client.isClosed())
            }
        }
        #expect(option.withLock { $0 } == 1)
    }

    @Test func `outlives the deadlines of HTTP`() async throws {
        let ended = Locked(0)
        let configure: (inout Server.Configuration) -> Void = {
            $0.headerDeadline = .milliseconds(100)
            $0.bodyDeadline = .milliseconds(100)
        }
        try await serving([Self.route(ended), echo(.get, "/a")], configure: configure) { port in
            try await blocking {
                let client = try Client.answered(port)
                try client.send(Self.request)
                _ = try client.readHead()
                // Two others' ends show that the deadlines have passed.
                for _ in 0..<2 { #expect(try Client(port).read().status == 408) }
                try client.send("still here")
                #expect(client.readUntilEnd("here") == Array("still here".utf8))
            }
        }
    }

    @Test func `ends them all when the server stops, and waits for them`() async throws {
        let ended = Locked(0)
        // Returned, so that they are connected until the server has stopped.
        let clients = try await serving([Self.route(ended)]) { port in
            try await blocking {
                try (0..<10).map { _ in
                    let client = try Client(port)
                    try client.send(Self.request)
                    _ = try client.readHead()
                    // Served, not only accepted: the server closes what comes to it while it stops.
                    try client.send("served")
                    #expect(client.readUntilEnd("served") == Array("served".utf8))
                    return SendableClient(client)
                }
            }
        }
        for client in clients { #expect(client.value.isClosed()) }
        #expect(ended.withLock { $0 } == 10)
    }

    @Test func `Accepts at most its limit, and more after those have gone`() async throws {
        let ended = Locked(0)
        let configure: (inout Server.Configuration) -> Void = { $0.upgradeLimit = 2 }
        try await serving([Self.route(ended)], configure: configure) { port in
            try await blocking {
                let clients = try (0..<2).map { _ in
                    let client = try Client(port)
                    try client.send(Self.request)
                    #expect(try client.readHead().contains(" 101 "))
                    return client
                }
                #expect(
                    try Client(port).ask("GET", "/ws", headers: "Connection: Upgrade\r\nUpgrade: echo\r\n").status
                        == 503
                )
                clients[0].disconnect()
                // Its thread sees the end some time later.
                try block(until: "the end of the first") { ended.withLock { $0 } > 0 }
                var head = ""
                while !head.contains(" 101 ") {
                    let client = try Client(port)
                    try client.send(Self.request)
                    head = try client.readHead()
                }
            }
        }
    }

    /// The second answer of a connection waits until the event thread has looked at the others.
    @Test func `the limit includes those whose 101 is still to be sent`() async throws {
        let thread = HeldEventThread()
        let configure: (inout Server.Configuration) -> Void = { $0.upgradeLimit = 2 }
        let routes = [Self.route(Locked(0)), echo(.get, "/a"), thread.route]
        try await serving(routes, configure: configure) { port in
            try await blocking {
                let clients = try (0..<6).map { _ in
                    let client = try Client(port)
                    #expect(try client.ask("GET", "/a").status == 200)
                    return client
                }
                let holder = try Client(port)
                try thread.hold(by: holder)
                for client in clients { try client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n" + Self.request) }
                thread.release()
                let heads = try clients.map { client in
                    #expect(try client.read().status == 200)
                    return try client.readHead()
                }
                #expect(heads.count { $0.contains(" 101 ") } == 2)
                #expect(heads.count { $0.contains(" 503 ") } == 4)
            }
        }
    }

    @Test func `a client that leaves before its 101 gives its place back`() async throws {
        let thread = HeldEventThread()
        let configure: (inout Server.Configuration) -> Void = { $0.upgradeLimit = 1 }
        let routes = [Self.route(Locked(0)), echo(.get, "/a"), thread.route]
        try await serving(routes, configure: configure) { port in
            try await blocking {
                for _ in 0..<3 {
                    let client = try Client(port)
                    let holder = try Client(port)
                    #expect(try client.ask("GET", "/a").status == 200)
                    try thread.hold(by: holder)
                    try client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n" + Self.request)
                    client.disconnect()
                    thread.release()
                    #expect(try holder.read().text == "now")
                }
                var head = ""
                while !head.contains(" 101 ") {
                    let client = try Client(port)
                    try client.send(Self.request)
                    head = try client.readHead()
                }
            }
        }
    }

    @Test func `HTTP/1.0 is answered, and never upgraded`() async throws {
        let codes = Locked<[Int]>([])
        let configure: (inout Server.Configuration) -> Void = {
            $0.onResponse = { _, code in codes.withLock { $0.append(code) } }
        }
        try await serving([Self.route(Locked(0))], configure: configure) { port in
            try await blocking {
                let client = try Client(port)
                try client.send(Self.request.replacing("HTTP/1.1", with: "HTTP/1.0"))
                let answer = try client.read()
                #expect(answer.status == 400 && answer.text == "HTTP/1.0 cannot be upgraded\n")
                #expect(client.isClosed())
            }
        }
        #expect(codes.withLock { $0 } == [400])
    }

    @Test func `a socket that comes after the stop is closed, and begin returns false`() throws {
        let table = try UpgradeTable(limit: 1)
        table.stop()
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { close(ends[1]) }
        let isServed = table.begin(TakenSocket(ends[0], suspension: Suspension())) {}
        #expect(!isServed)
        var byte: UInt8 = 0
        #expect(recv(ends[1], &byte, 1, Int32(MSG_DONTWAIT)) == 0)
    }
}
