import Coordination
import Glibc
import Lab
import MicroHTTP

/// What clients send to the HTTP server, over a real socket.
extension FuzzReader {
    /// Whatever was sent, the server answers a good request afterwards.
    static func http() throws -> FuzzReader {
        let listener = try UnixListener("http")
        var configuration = Server.Configuration(addresses: [])
        configuration.adoptedDescriptors = [listener.descriptor]
        configuration.connectionLimit = 5000
        configuration.connectionsPerAddress = 5000
        let server = try Server(configuration: configuration, routes: routes)
        try server.bind()
        Task.detached { try await server.run() }
        let count = Locked(0)
        return FuzzReader(
            seeds: texts(
                "GET /a?b=c%20d HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip;q=0.5, *\r\n\r\n",
                "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
                "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nT: x\r\n\r\n",
                "HEAD /w HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /w HTTP/1.1\r\nHost: y\r\nExpect: 100-continue\r\n\r\n",
                "OPTIONS * HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n",
                "GET http://h/s HTTP/1.1\r\nHost: x\r\nCookie: a=b; c\r\n\r\n"
            ),
            words: texts("\n", "\r\n", " ", ":", "%", "\u{0}", "0x", "ffffffffffffffff", "-1", "Content-Length: "),
            isCut: false,
            read: { input in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                if number.isMultiple(of: 64) {
                    let good = Array("GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".utf8)
                    guard try exchange(good, with: listener, within: 10_000).contains("200 OK") else {
                        throw Finding("the server does not answer any more")
                    }
                }
                return try send(input, to: listener)
            }
        )
    }

    private static var routes: [Route] {
        let answer: @Sendable (Request) -> Response = { .text("\($0.method) \($0.path)") }
        return [
            Route(.get, "/a", name: "a", handler: .immediate(answer)),
            Route(.post, "/a", name: "a", bodyLimit: 100, handler: .immediate(answer)),
            Route(.get, "/w", name: "w", handler: .waiting { answer($0) }),
            Route(
                .get,
                "/s",
                name: "s",
                handler: .immediate { _ in Response(body: .stream { try await $0.write([1, 2, 3]) }) }
            ),
        ]
    }

    /// Every other client looks at what has come so far, and leaves; the others leave at once.
    private static func send(_ input: [UInt8], to listener: UnixListener) throws -> Bool {
        guard input.count.isMultiple(of: 2) else { return try exchange(input, with: listener, within: 0).isEmpty }
        let last = Array("\r\n\r\nGET /w HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".utf8)
        let answer = try exchange(input + last, with: listener, within: 5)
        guard answer.isEmpty || answer.hasPrefix("HTTP/1.") else {
            throw Finding("the answer begins with \(answer.prefix(40))")
        }
        return answer.hasPrefix("HTTP/1.1 2")
    }

    /// Sends bytes over a connection of their own, and returns what has come after so many milliseconds.
    private static func exchange(_ bytes: [UInt8], with listener: UnixListener, within milliseconds: Int32) throws
        -> String
    {
        let descriptor = try listener.connect()
        defer { close(descriptor) }
        RawConnection(socket: descriptor).send(bytes)
        var readable = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard milliseconds > 0, poll(&readable, 1, milliseconds) > 0 else { return "" }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }
}
