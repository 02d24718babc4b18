import Glibc

/// A blocking client that sends exactly the bytes it is given.
final class Client {
    struct Failure: Error, CustomStringConvertible {
        let description: String
        var errorNumber: Int32 = 0
    }

    struct Answer {
        var status: Int
        var headers: [String: String]
        var body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    let descriptor: Int32
    private var buffer: [UInt8] = []
    private var isDisconnected = false

    /// Connects to loopback; a read, or a write, that takes longer than 20 s fails.
    init(_ port: UInt16, family: Int32 = AF_INET, receiveBuffer: Int32? = nil) throws {
        descriptor = socket(family, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw Failure(description: "socket: errno \(errno)") }
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        let result: Int32
        if family == AF_INET {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            result = Self.connect(descriptor, &address, MemoryLayout<sockaddr_in>.size)
        } else {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_addr = in6addr_loopback
            result = Self.connect(descriptor, &address, MemoryLayout<sockaddr_in6>.size)
        }
        guard result == 0 else { throw Failure(description: "connect: errno \(errno)") }
    }

    deinit { disconnect() }

    /// Closes the socket, unread bytes and all.
    func disconnect() {
        if !isDisconnected { close(descriptor) }
        isDisconnected = true
    }

    private static func connect(_ descriptor: Int32, _ address: UnsafeRawPointer, _ size: Int) -> Int32 {
        Glibc.connect(descriptor, address.assumingMemoryBound(to: sockaddr.self), socklen_t(size))
    }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw Failure(description: "send: errno \(errno)", errorNumber: errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// One whose first request, for `/a`, was answered: the next one also has the idle time-out.
    ///
    /// A busy machine may miss a short deadline of the first one.
    static func answered(_ port: UInt16) throws -> Client {
        for _ in 0..<100 {
            let client = try Client(port)
            if (try? client.ask("GET", "/a").status) == 200 { return client }
        }
        throw Failure(description: "no first request was answered")
    }

    /// Sends `head` and as much of so many bytes as the buffers of both sides take within a tenth of a second.
    func sendWhatFits(_ count: Int, after head: String = "") {
        let bytes = Array(head.utf8) + [UInt8](repeating: 7, count: count)
        var sent = 0
        while sent < bytes.count {
            let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
            let taken = bytes[sent...].withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, flags) }
            if taken > 0 { sent += taken }
            var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard taken > 0 || errno == EAGAIN, poll(&polled, 1, 100) == 1, polled.revents == Int16(POLLOUT) else {
                return
            }
        }
    }

    /// The other end of its connection over IPv4, as the server is in this process.
    func findServerSocket() -> Int32? {
        var (own, other) = (sockaddr_in(), sockaddr_in())
        guard Self.address(&own, of: descriptor, getsockname), Self.address(&other, of: descriptor, getpeername) else {
            return nil
        }
        return (0..<4096).first { number in
            var (peer, local) = (sockaddr_in(), sockaddr_in())
            return Self.address(&peer, of: number, getpeername) && peer.sin_port == own.sin_port
                && Self.address(&local, of: number, getsockname) && local.sin_port == other.sin_port
        }
    }

    private static func address(
        _ address: inout sockaddr_in,
        of number: Int32,
        _ call: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> Bool {
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(number, $0, &length) == 0 }
        } && address.sin_family == sa_family_t(AF_INET)
    }

    /// Sends a request with a Host header and reads its answer.
    func ask(_ method: String, _ target: String, headers: String = "", body: String = "") throws -> Answer {
        let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
        try send("\(method) \(target) HTTP/1.1\r\nHost: test\r\n\(headers)\(length)\r\n\(body)")
        return try read(isHead: method == "HEAD")
    }

    /// The next answer, with its body by length, by chunks or to the end.
    func read(isHead: Bool = false) throws -> Answer {
        let head = try take(through: "\r\n\r\n")
        var lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        guard let status = lines.removeFirst().split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw Failure(description: "no status line")
        }
        var answer = Answer(status: status, headers: [:], body: [])
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1)
            let value = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
            answer.headers[parts[0].lowercased()] = value
        }
        if isHead || status == 204 || status == 304 || status == 100 { return answer }
        if let length = answer.headers["content-length"].flatMap({ Int($0) }) {
            answer.body = try take(length)
        } else if answer.headers["transfer-encoding"] == "chunked" {
            while true {
                let size = Int(String(decoding: try take(through: "\r\n").dropLast(2), as: UTF8.self), radix: 16) ?? 0
                answer.body += try take(size)
                _ = try take(2)
                if size == 0 { break }
            }
        } else {
            answer.body = readToEnd()
        }
        return answer
    }

    /// The head of the next answer.
    func readHead() throws -> String { String(decoding: try take(through: "\r\n\r\n"), as: UTF8.self) }

    /// What comes until the server closes; a reset counts as its end.
    func readToEnd() -> [UInt8] {
        while receive() {}
        defer { buffer = [] }
        return buffer
    }

    /// Whether the server closes without sending anything more.
    func isClosed() -> Bool { readToEnd().isEmpty }

    private func take(through mark: String) throws -> [UInt8] {
        let mark = Array(mark.utf8)
        while true {
            if buffer.count >= mark.count {
                for start in 0...(buffer.count - mark.count) where Array(buffer[start..<start + mark.count]) == mark {
                    return try take(start + mark.count)
                }
            }
            guard receive() else { throw Failure(description: "closed within a head of \(buffer.count) bytes") }
        }
    }

    private func take(_ count: Int) throws -> [UInt8] {
        while buffer.count < count {
            guard receive() else { throw Failure(description: "closed after \(buffer.count) of \(count) bytes") }
        }
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }

    /// What was read and not asked for yet.
    func takeBuffered() -> [UInt8] {
        defer { buffer = [] }
        return buffer
    }

    /// What is there now.
    func readOnce() { _ = receive() }

    private func receive() -> Bool {
        var piece = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &piece, piece.count, 0)
        guard count > 0 else { return false }
        buffer += piece.prefix(count)
        return true
    }
}
