import Glibc
import Lab
import Posix
import Testing

@testable import MicroHTTP

@Suite(.timeLimit(.minutes(3)))
struct ListenerTests {
    private static let routes = [
        Route(.get, "/peer", name: "peer", handler: .immediate { .text($0.peer) })
    ]

    @Test func `listens on both families with an empty host`() async throws {
        try await serving(Self.routes, address: ":0") { port in
            try await blocking {
                let peers = try [AF_INET, AF_INET6].map { try Client(port, family: $0).ask("GET", "/peer").text }
                #expect(peers == ["127.0.0.1", "::1"])
            }
        }
    }

    @Test func `Listens on IPv4 only without IPv6`() throws {
        let listeners = try Listener.open(ListenAddress(port: 0)) { family in
            if family == AF_INET { return Listener.streamSocket(family) }
            errno = EAFNOSUPPORT
            return -1
        }
        let port = try #require(listeners.first).address.port
        #expect(listeners.count == 1)
        #expect(try SocketAddress.bound(to: listeners[0].descriptor.number)?.ip.family == .ipv4)
        _ = try Client(port)
    }

    @Test func `listens on several addresses at once`() async throws {
        var configuration = Server.Configuration(addresses: [
            try ListenAddress("127.0.0.1:0"), try ListenAddress("[::1]:0"), try ListenAddress("localhost:0"),
        ])
        configuration.connectionsPerAddress = 10
        let server = try Server(configuration: configuration, routes: Self.routes)
        let bound = try server.bind()
        #expect(bound.count >= 3)
        let task = Task { try await server.run() }
        try await blocking {
            for address in bound {
                let family = address.host.contains(":") ? AF_INET6 : AF_INET
                let answer = try Client(address.port, family: family).ask("GET", "/peer")
                #expect(answer.text == address.host)
            }
        }
        server.stop()
        try await task.value
    }

    @Test func `keeps an IPv6 address from taking the IPv4 port`() throws {
        let first = try Listener.open(ListenAddress("[::]:0"))
        let port = try #require(first.first).address.port
        // An address that no other test uses.
        _ = try Listener.open(ListenAddress(host: "127.77.0.1", port: port))
    }

    @Test func `names address and errno of a port that is taken`() throws {
        let first = try Listener.open(ListenAddress("127.0.0.1:0"))
        let port = try #require(first.first).address.port
        let server = try Server(
            configuration: Server.Configuration(addresses: [ListenAddress(host: "127.0.0.1", port: port)]),
            routes: []
        )
        let error = try #require(throws: ListenError.self) { try server.bind() }
        #expect(error.description == "cannot listen on 127.0.0.1:\(port): Address already in use (errno 98)")
        #expect(error.errorNumber == EADDRINUSE)
    }

    @Test func `names a host that is not known`() throws {
        let error = try #require(throws: ListenError.self) {
            try Listener.open(ListenAddress(host: "no-such-host.invalid", port: 1))
        }
        #expect(error.description.hasPrefix("cannot listen on no-such-host.invalid:1: "))
    }

    @Test func `names an address that is not this machine's`() throws {
        let error = try #require(throws: ListenError.self) { try Listener.open(ListenAddress("198.18.99.99:0")) }
        #expect(error.description == "cannot listen on 198.18.99.99:0: Cannot assign requested address (errno 99)")
    }

    @Test func `adopts a socket that listens already`() async throws {
        let original = try Listener.open(ListenAddress("127.0.0.1:0"))[0]
        var configuration = Server.Configuration(addresses: [])
        configuration.adoptedDescriptors = [dup(original.descriptor.number)]
        let server = try Server(configuration: configuration, routes: Self.routes)
        #expect(try server.bind() == [original.address])
        let task = Task { try await server.run() }
        let answer = try await blocking { try Client(original.address.port).ask("GET", "/peer") }
        #expect(answer.status == 200)
        server.stop()
        try await task.value
    }

    @Test(arguments: ["/tmp/nhe-listener-\(getpid()).sock", "@nhe-listener-\(getpid())"])
    func `an adopted Unix socket has its path as address`(path: String) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        defer { unlink(path) }
        // A name that begins with NUL is in the abstract namespace.
        let name = path.replacing("@", with: "\0")
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name.utf8) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.utf8.count)
        let code = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        try #require(code == 0 && listen(descriptor, 1) == 0)
        let found = try Listener.adopt(descriptor).address
        #expect(found.description == "unix:\(path)")
        #expect(found.host.isEmpty && found.port == 0)
    }

    @Test func `adopts no other descriptor`() throws {
        let error = try #require(throws: ListenError.self) { try Listener.adopt(0) }
        #expect(error.description.contains("descriptor 0"))
        let plain = Listener.streamSocket(AF_INET)
        defer { close(plain) }
        let second = try #require(throws: ListenError.self) { try Listener.adopt(plain) }
        #expect(second.description == "descriptor \(plain) is not a listening socket")
    }
}
