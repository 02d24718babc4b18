import ArgumentParser
import Glibc
import Posix

/// A plain HTTP server to ask once, blocking: for the command line only, never on the cooperative pool.
struct HTTPEndpoint: Equatable {
    /// Why there was no answer.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// What the server said.
    struct Answer {
        var status: Int
        /// The seconds of `Retry-After`; nil without one, and where that is a date.
        var retryAfter: Duration?
        var body: String
    }

    var host: String
    var port: String
    /// Prefix of every path; empty, or with a leading and without a trailing slash.
    var prefix: String

    /// From `http://HOST[:PORT][/PREFIX]`, an IPv6 host in brackets.
    init(_ url: String) throws(UsageError) {
        let refusal = UsageError("--url: expected http://HOST:PORT, found \"\(url)\"")
        guard url.hasPrefix("http://") else { throw refusal }
        let rest = url.dropFirst("http://".count)
        let authority = rest.prefix { $0 != "/" }
        prefix = String(rest[authority.endIndex...])
        while prefix.hasSuffix("/") { prefix.removeLast() }
        let isBracketed = authority.hasPrefix("[")
        let hostPart = isBracketed ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { $0 != ":" }
        let portPart = authority[hostPart.endIndex...].drop { $0 == "]" }
        host = String(hostPart)
        port = portPart.isEmpty ? "10319" : String(portPart.dropFirst())
        guard !host.isEmpty, portPart.isEmpty || portPart.hasPrefix(":"), UInt16(port) ?? 0 > 0,
            !url.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7f })
        else { throw refusal }
    }

    /// Where the exporter of this machine listens and below which prefix, as far as the environment tells.
    ///
    /// Throws `UsageError` for a variable that the exporter itself would refuse.
    static func local(_ environment: Environment) throws -> String {
        let settings = try Settings(Options.parse([]), environment)
        let listen = settings.listenAddresses.first ?? ":10319"
        let port = listen.split(separator: ":", omittingEmptySubsequences: false).last ?? "10319"
        let host = listen.dropLast(port.count + 1)
        let isAny = ["", "0.0.0.0", "[::]"].contains(String(host))
        return "http://\(isAny ? "localhost" : String(host)):\(port)\(settings.routePrefix)"
    }

    /// One GET; the body at most 64 KiB of it.
    func get(_ path: String, timeout: Duration) throws(Failure) -> Answer {
        let deadline = ContinuousClock.now + timeout
        let socket = try connect(until: deadline)
        let hostField = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        let request = "GET \(prefix)\(path) HTTP/1.1\r\nHost: \(hostField)\r\nConnection: close\r\n\r\n"
        guard send(socket.number, request, request.utf8.count, Int32(MSG_NOSIGNAL)) == request.utf8.count else {
            throw failure("send", errno)
        }
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while answer.count < 65_536 {
            guard Poll.wait(for: socket.number, upTo: ContinuousClock.now.duration(to: deadline)) else {
                throw failure("answer", ETIMEDOUT)
            }
            let count = recv(socket.number, &chunk, chunk.count, 0)
            guard count >= 0 else { throw failure("receive", errno) }
            if count == 0 { break }
            answer += chunk[..<count]
        }
        let text = String(decoding: answer, as: UTF8.self)
        let head = text.prefix { $0 != "\r\n" && $0 != "\n" }.split(separator: " ")
        guard head.count >= 2, head[0].hasPrefix("HTTP/"), let status = Int(head[1]) else {
            throw Failure(description: "\(host):\(port): the answer is not HTTP")
        }
        let end = text.firstRange(of: "\r\n\r\n")
        let retryAfter = Self.retryAfter(text[..<(end?.lowerBound ?? text.endIndex)])
        return Answer(status: status, retryAfter: retryAfter, body: end.map { String(text[$0.upperBound...]) } ?? "")
    }

    private static func retryAfter(_ head: Substring) -> Duration? {
        let name = "retry-after:"
        let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name) }
        return line.flatMap { UInt32($0.dropFirst(name.count).filter { $0 != " " }) }.map { .seconds($0) }
    }

    private func connect(until deadline: ContinuousClock.Instant) throws(Failure) -> Descriptor {
        var hints = addrinfo()
        hints.ai_socktype = SocketType.stream
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, port, &hints, &list)
        guard code == 0 else { throw Failure(description: "\(host): \(String(cString: gai_strerror(code)))") }
        defer { freeaddrinfo(list) }
        var last: Int32 = ECONNREFUSED
        var next = list
        while let entry = next?.pointee {
            next = entry.ai_next
            let type = SocketType.stream | SocketType.flags
            guard let candidate = try? Descriptor(owning: socket(entry.ai_family, type, 0), from: "socket") else {
                continue
            }
            if Glibc.connect(candidate.number, entry.ai_addr, entry.ai_addrlen) == 0 { return candidate }
            guard errno == EINPROGRESS else {
                last = errno
                continue
            }
            var waiting = [pollfd(fd: candidate.number, events: Int16(POLLOUT), revents: 0)]
            Poll.wait(for: &waiting, upTo: ContinuousClock.now.duration(to: deadline))
            var error: Int32 = ETIMEDOUT
            var length = socklen_t(MemoryLayout<Int32>.size)
            if waiting[0].revents != 0 { getsockopt(candidate.number, SOL_SOCKET, SO_ERROR, &error, &length) }
            if error == 0 { return candidate }
            last = error
        }
        throw failure("connect", last)
    }

    private func failure(_ what: String, _ code: Int32) -> Failure {
        Failure(description: "\(host):\(port): \(what): \(SystemError.message(code))")
    }
}
